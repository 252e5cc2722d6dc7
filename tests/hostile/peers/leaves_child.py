"""Dies in a call and leaves a child that holds stdin, stdout and stderr open.

It says the child's number on stderr.
"""

import os
import subprocess
import sys

from good import answer, requests, say

SLEEPER = [sys.executable, "-S", "-c", "import time; time.sleep(60)"]
for message in requests():
    if message["method"] == "tools/call":
        child = subprocess.Popen(SLEEPER)
        print(child.pid, file=sys.stderr, flush=True)
        os._exit(0)
    say(answer(message))
