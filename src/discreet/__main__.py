"""``python -m discreet``: the command line, where its script is not on the path."""

from discreet.cli import main

if __name__ == "__main__":
    main(prog_name="discreet")
