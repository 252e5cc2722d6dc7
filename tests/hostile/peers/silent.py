"""Reads everything and never says a word."""

from good import messages

for _ in messages():
    pass
