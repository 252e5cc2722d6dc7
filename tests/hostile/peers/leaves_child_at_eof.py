"""Leaves when its input ends, but not without leaving a child behind, whose number is on stderr."""

import subprocess
import sys

from good import serve

SLEEPER = [sys.executable, "-S", "-c", "import time; time.sleep(60)"]
nothing = subprocess.DEVNULL
child = subprocess.Popen(SLEEPER, stdin=nothing, stdout=nothing, stderr=nothing)
print(child.pid, file=sys.stderr, flush=True)
serve()
