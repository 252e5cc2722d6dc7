"""Says nothing to server/discover, and is right otherwise."""

from good import answer, requests, say

for message in requests():
    if message["method"] != "server/discover":
        say(answer(message))
