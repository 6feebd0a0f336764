"""Sends a message by Apprise: mail, Teams, Slack, ntfy, Matrix, webhooks and many more.

A mail server inside the plant is enough: nothing else is contacted.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final
from urllib.parse import urlsplit

from auscult.app.notify import secrets
from auscult.app.notify.sending import MOST_TEXT, SendError
from auscult.contract.said import Rejection

LOCAL: Final = re.compile(
    r"^(dbus|qt|glib|kde|gnome|macosx|windows|syslog|file|smpp|growl|notica)$"
)
"""Services of the server's own desktop or files."""
CAUSE: Final = re.compile(r"(WARNING|ERROR|CRITICAL) |DEBUG .*Exception:")
"""Lines of Apprise's log that give the cause; others hold the address or the message itself."""
ANSWER: Final = "DEBUG Response Details:"
"""The line after it holds what the service answered."""


_log = logging.getLogger("apprise")
_log.propagate = False  # its lines hold addresses and messages
_log.setLevel(logging.CRITICAL + 1)  # but while `send` captures them


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file to send along, where the service can."""

    name: str
    content: bytes
    mime_type: str


@dataclass(frozen=True, slots=True)
class Described:
    """What may be shown of a channel's address."""

    service: str
    target: str


def described(url: str) -> Described:
    """Return what may be shown of an address.

    Raises
    ------
    Rejection
        If no service has such an address.
    """
    service = _service(url)
    scheme = urlsplit(url).scheme.lower()
    target = ""
    if secrets.MAIL.match(scheme):
        target = ", ".join(address for _, address in service.targets)
    elif secrets.SHOWS_HOST.match(scheme):
        target = urlsplit(url).hostname or ""
    return Described(str(service.service_name), target)


def send(url: str, subject: str, body: str, attachment: Attachment | None = None) -> str:
    """Send a message and wait for the service's answer; return an empty text.

    A peer can hold it as long as it likes: call it by `sending.within_limits`.

    Raises
    ------
    SendError
        If the service can't be reached or refuses the message.
    """
    import apprise
    from apprise.attachment.memory import AttachMemory
    from apprise.plugins.workflows import NotifyWorkflows

    service = _service(url)
    files = None
    if attachment is not None and service.attachment_support:
        untyped: Any = AttachMemory
        memory = untyped(attachment.content, name=attachment.name, mimetype=attachment.mime_type)
        files = apprise.AppriseAttachment(memory)
    link = body.rpartition("\n")[2]
    if hasattr(service, "click") and link.startswith("http"):
        service.click = link  # ntfy: a tap on the message opens the case
    if isinstance(service, NotifyWorkflows):
        # Adaptive Cards of Teams show the backslashes of Apprise's Markdown, also in a link; they
        # join lines that are not apart, and open a link of this form only
        service.notify_format = apprise.NotifyFormat.TEXT
        lines = [
            f"[{line}]({line})" if line.startswith("http") else line for line in body.splitlines()
        ]
        body = "\n\n".join(filter(None, lines))
    messenger = apprise.Apprise(services=service)
    capture: Any = apprise.LogCapture
    with capture(level=logging.DEBUG, fmt="%(levelname)s %(message)s") as log:
        done = messenger.notify(
            body=body, title=subject, attach=files, body_format=apprise.NotifyFormat.TEXT
        )
        said = log.getvalue()
    if not done:
        raise _error(said, url)
    return ""


def _service(url: str) -> Any:
    import apprise  # 0.2 s, and a plant may send no messages

    if LOCAL.match(urlsplit(url).scheme.lower()):
        raise Rejection("channel_unusable")
    # messages name no address outside the plant, as the pictures of Apprise would
    own = apprise.AppriseAsset(
        app_id="Auscult", app_desc="Auscult", app_url="", image_url_mask="", image_url_logo=""
    )
    service: Any = apprise.Apprise.instantiate(url, asset=own)
    if service is None:
        raise Rejection("channel_unusable")
    if secrets.MAIL.match(urlsplit(url).scheme.lower()):
        # Apprise's default is HTML, in which the lines of a text become one
        service.notify_format = apprise.NotifyFormat.TEXT
    return service


def _error(said: str, url: str) -> SendError:
    """Return why a message failed, by Apprise's log of it."""
    hidden, lines = secrets.of_url(url), said.splitlines()
    causes = " ".join(line.partition(" ")[2] for line in lines if CAUSE.match(line))
    answers = [after for line, after in pairwise(lines) if line.startswith(ANSWER)]
    text = secrets.without(causes, hidden) or "the service did not take the message"
    return SendError(text[:MOST_TEXT], secrets.without(" ".join(answers), hidden)[:MOST_TEXT])
