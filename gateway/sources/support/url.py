"""Addresses of devices as URLs."""

from __future__ import annotations

from urllib.parse import urlsplit

from pydantic import AfterValidator

from auscult.contract.said import Rejection


def reachable(form: str) -> AfterValidator:
    """Return a check that a URL names a host, and no port or one that can be reached.

    Parameters
    ----------
    form : str
        How a URL is written, for the rejection, e.g. ``opc.tcp://HOST:PORT``.
    """

    def check(url: str) -> str:
        try:
            parts = urlsplit(url)
            if parts.hostname and parts.port != 0:
                return url
        except ValueError:  # no host, or no port, can be read
            pass
        raise Rejection("value_pattern", pattern=form)

    return AfterValidator(check)
