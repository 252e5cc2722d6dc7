"""Is ended by a signal in the middle of a call."""

import os
import signal

from good import answer, requests, say

for message in requests():
    if message["method"] == "tools/call":
        os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
    say(answer(message))
