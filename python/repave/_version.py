"""The package's version; scripts/generate.py takes it from pom.xml.

Not from the installation's metadata: a copied folder and a zip for --py-files have none, or that
of another version.
"""

from importlib import resources

__version__ = (resources.files("repave") / "version.txt").read_text("utf-8").strip()
