"""Decodes data messages (one base64 line each) with a PyPI package, without their births.

`python decode.py PACKAGE` prints a line of JSON for each: the values of its metrics, null where the
package finds none.
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable
from datetime import datetime
from typing import Any


def pysparkplug(message: bytes) -> list[Any]:
    from pysparkplug import DData

    return [metric.value for metric in DData.decode(message).metrics]


def mqtt_spb_wrapper(message: bytes) -> list[Any]:
    from mqtt_spb_wrapper import SpbPayloadParser

    return [metric.get("value") for metric in SpbPayloadParser(message).payload["metrics"]]


DECODERS: dict[str, Callable[[bytes], list[Any]]] = {
    "pysparkplug": pysparkplug,
    "mqtt-spb-wrapper": mqtt_spb_wrapper,
}


def _milliseconds(time: datetime) -> int:
    return round(time.timestamp() * 1000)


if __name__ == "__main__":
    decode = DECODERS[sys.argv[1]]
    for line in sys.stdin:
        try:
            print(json.dumps(decode(base64.b64decode(line)), default=_milliseconds))
        except (NotImplementedError, ValueError) as error:
            print(json.dumps([f"{type(error).__name__}: {error}"]))
