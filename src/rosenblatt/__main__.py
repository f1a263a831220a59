"""``python -m rosenblatt`` is the command line."""

from rosenblatt.cli import main

if __name__ == "__main__":
    main()
