"""Greets people on stdout before it speaks the protocol."""

from good import serve, write

write(b"MCP server running on stdio ...\n")
serve()
