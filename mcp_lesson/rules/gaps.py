"""Two ways of having no value: nothing is there, and nobody knows."""

from enum import Enum


class Gap(Enum):
    """What is found where no value is."""

    ABSENT = "nothing stands there"
    UNKNOWN = "the trace does not tell"


ABSENT, UNKNOWN = Gap.ABSENT, Gap.UNKNOWN
