"""Run the command line by ``python -m rosenblatt``."""

from rosenblatt.cli import main

if __name__ == "__main__":
    main()
