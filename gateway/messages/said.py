"""Sentences as code and values, for all that reads or writes messages; see `auscult.models.said`.

The dashboard imports them from here.
"""

from auscult.models.phrases.german import title_de as title_de
from auscult.models.said import Rejection as Rejection
from auscult.models.said import Said as Said
from auscult.models.said import SaidValue as SaidValue
