"""Does not leave when its input ends."""

import time

from good import serve

serve()
time.sleep(60)
