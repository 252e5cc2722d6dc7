"""Takes a minute to answer at all."""

import time

from good import serve

time.sleep(60)
serve()
