"""Ends before it reads anything, with a word on stderr that has no newline."""

import sys

sys.stderr.write("no configuration found")
sys.exit(3)
