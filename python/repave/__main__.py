"""`python -m repave` is the `repave` command, for machines where that is not on the PATH."""

import sys

try:
    from repave.cli import main
except ModuleNotFoundError as error:
    # A copied folder has no dependencies; `import repave` needs none, the command does.
    if (error.name or "").startswith("repave"):
        raise
    sys.exit(
        f"The repave command needs the package {error.name}, which is not installed here. "
        "Install repave by pip, or run: pip install boto3 click rich"
    )

if __name__ == "__main__":
    main(prog_name="repave")
