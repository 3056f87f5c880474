"""Run a module as a program that ends when its standard input closes.

The parent holds the other end of that pipe, so the program also ends when the parent is killed.
A parent-death signal would not do: Linux ties it to the thread that started the child.
"""

import os
import runpy
import sys
import threading


def _exit_when_stdin_closes() -> None:
    while os.read(0, 4096):
        pass
    os._exit(0)  # The servers' own shutdown can hang; what they hold is not worth waiting for.


def main() -> None:
    """Run the module named by the first argument; the others are its own."""
    module, *arguments = sys.argv[1:]
    sys.argv = [module, *arguments]
    threading.Thread(target=_exit_when_stdin_closes, daemon=True).start()
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
