"""Lets `python -m mcp_lesson.cli` be the same as `mcp-lesson`."""

from . import app

app(prog_name="mcp-lesson")
