"""Answers with a member of a wrong type: called as `wrong_shape.py METHOD PATH JSON`.

PATH leads to the member, as in `serverInfo/name`; an empty one is the whole result. The word DEEP
as JSON stands for 500 lists in one another, and GONE for no member at all.
"""

import json
import sys

from good import RESULTS, answer, requests, say

method, path, text = sys.argv[1:]
value = None if text == "GONE" else json.loads("[" * 500 + "]" * 500 if text == "DEEP" else text)
whole = {"": RESULTS[method]}
*way, last = ["", *filter(None, path.split("/"))]
place: dict = whole
for step in way:
    place = place[int(step) if isinstance(place, list) else step]
if text == "GONE":
    del place[last]
else:
    place[last] = value
RESULTS[method] = whole[""]
for message in requests():
    say(answer(message, legacy=method != "server/discover"))
