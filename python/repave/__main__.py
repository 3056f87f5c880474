"""`python -m repave` is the `repave` command, for machines where that is not on the PATH."""

from repave.cli import main

if __name__ == "__main__":
    main(prog_name="repave")
