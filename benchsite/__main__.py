"""`python -m benchsite`."""

from benchsite.cli.main import main

main()
