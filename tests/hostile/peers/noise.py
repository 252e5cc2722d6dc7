"""Writes what is no message, and empty lines, before and between its answers."""

from good import answer, requests, say, write

write(b"\n\nstarting\n[1, 2]\n")
for message in requests():
    write(b"DEBUG got a request\n \n42\n")
    say(answer(message))
    write(b"{} \n\n")
