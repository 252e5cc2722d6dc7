"""Opens its output with a byte order mark."""

from good import serve, write

write(b"\xef\xbb\xbf")
serve()
