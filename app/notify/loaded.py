"""Loads what sendings need, before their processes are forked: services and orders take 0.5 s."""

from auscult.app.notify import orders as orders
from auscult.app.notify import transport

transport.described("json://localhost")
