"""Loads what sendings need, before their processes are forked: Apprise's services take 0.3 s."""

from auscult.app.notify import transport

transport.described("json://localhost")
