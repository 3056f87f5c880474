"""Run a module as a program that ends when its standard input closes, and leaves no files.

The parent holds the other end of that pipe, so the program also ends when the parent is killed.
A parent-death signal would not do: Linux ties it to the thread that started the child.
"""

import os
import runpy
import shutil
import sys
import threading


def _exit_when_stdin_closes(folder: str) -> None:
    while os.read(0, 4096):
        pass
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)  # The servers' own shutdown can hang; what they hold is not worth waiting for.


def main() -> None:
    """Run a module with its arguments; the first argument is the folder of its files."""
    folder, module, *arguments = sys.argv[1:]
    sys.argv = [module, *arguments]
    threading.Thread(target=_exit_when_stdin_closes, args=(folder,), daemon=True).start()
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
