"""Never answers its first call, and is right otherwise."""

from good import answer, requests, say

calls = 0
for message in requests():
    calls += message["method"] == "tools/call"
    if message["method"] != "tools/call" or calls > 1:
        say(answer(message))
