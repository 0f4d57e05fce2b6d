"""`python -m understudy` is `understudy`."""

from understudy.cli import main

main()
