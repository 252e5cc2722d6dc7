"""Does not leave when its input ends, nor when it is told to, and has a child of the same kind.

It says the child's number on stderr.
"""

import signal
import subprocess
import sys
import time

from good import serve

signal.signal(signal.SIGTERM, signal.SIG_IGN)
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
child = subprocess.Popen([sys.executable, "-S", "-c", STUBBORN], stdin=subprocess.DEVNULL)
print(child.pid, file=sys.stderr, flush=True)
serve()
time.sleep(60)
