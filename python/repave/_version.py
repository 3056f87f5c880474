"""The package's version, which pom.xml alone states."""

from importlib.metadata import version

__version__ = version("repave")
