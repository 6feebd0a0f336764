"""Updates that the dashboard offers: stored, downloaded, handed to the installer, reported.

The gateway runs without the right to install. It puts a bundle and a request into a folder;
`auscult-update`, which root runs, verifies the signature, installs, and returns to the version
before where the new one is not healthy. Its steps are in a file that this room reads.
"""

from __future__ import annotations

import json
import logging
import shutil
import threading
from pathlib import Path
from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError

from auscult.contract.parts import UpdatePart, UpdateStep
from auscult.contract.requests import UpdateArgs
from auscult.contract.said import Rejection, Said
from auscult.durable import write_durably
from auscult.gateway.settings.updates import UpdateSettings
from auscult.gateway.updates import download
from auscult.host.supervised import Supervised

log = logging.getLogger(__name__)

WANTED, REQUEST, BUNDLE = "wanted.json", "request.json", "bundle"
LOOK_S = 2.0
FREE_SHARE = 4
"""The bundle, the installer's copy, and what is unpacked of it."""
FINAL = frozenset({"installed", "rolled_back", "rejected", "failed"})
STEPS = {"switching": "installing", "interrupted": "installing"}
"""Steps of the installer that are one for people."""


class UpdateRejection(Rejection):
    """An update that is not begun, and why."""


class Updates:
    """Downloads what the dashboard offers, in a thread of its own."""

    def __init__(self, settings: UpdateSettings, stopping: threading.Event) -> None:
        self._folder, self._result = settings.folder, settings.result
        self._stopping = stopping
        self._offered = threading.Event()
        self._rejected: tuple[str, Said] | None = None
        self.thread = Supervised("updates", self._run, stopping)

    @property
    def open(self) -> bool:
        """Return whether this gateway takes updates from the dashboard."""
        return self._folder is not None

    def start(self) -> None:
        """Continue what was offered before, then wait for offers."""
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
            self.thread.start()

    def offer(self, asked: UpdateArgs) -> None:
        """Store an offer; the download begins at once. The same one again changes nothing.

        Raises
        ------
        UpdateRejection
            If this gateway takes no updates, installs another one, or lacks the space.
        """
        if self._folder is None:
            raise UpdateRejection("update_off")
        present = self.part
        if present is not None and present.rollout == asked.rollout:
            return
        if present is not None and present.step not in FINAL and present.step != "downloading":
            raise UpdateRejection("update_running", version=present.version)
        free, needed = shutil.disk_usage(self._folder).free, FREE_SHARE * asked.size
        if free < needed:
            raise UpdateRejection(
                "update_no_space", free_mb=free // 10**6, needed_mb=needed // 10**6
            )
        self._rejected = None
        (self._folder / REQUEST).unlink(missing_ok=True)
        write_durably(self._folder / WANTED, asked.model_dump_json().encode())
        self._offered.set()

    @property
    def part(self) -> UpdatePart | None:
        """Return the last offered update and its step; None without one."""
        asked = self._wanted()
        if asked is None or self._folder is None:
            return None
        known = {"rollout": asked.rollout, "version": asked.version, "size": asked.size}
        result = _read(self._result)
        if result.get("rollout") == asked.rollout:
            step = STEPS.get(str(result.get("step")), str(result.get("step")))
            if step in get_args(UpdateStep):
                text = str(result.get("text", ""))
                said = Said("update_ended", {"cause": _cause(result)}) if text else None
                known |= {"bytes": asked.size, "step": step, "text": text, "said": said}
                return UpdatePart(**known)
        if self._rejected is not None and self._rejected[0] == asked.rollout:
            said = self._rejected[1]
            return UpdatePart(step="rejected", text=said.text, said=said, **known)
        if _read(self._folder / REQUEST).get("rollout") == asked.rollout:
            return UpdatePart(step="verifying", bytes=asked.size, **known)
        so_far = download.have(download.part_of(self._folder / BUNDLE, asked))
        return UpdatePart(step="downloading", bytes=so_far, **known)

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._work()
            self._offered.wait(LOOK_S)
            self._offered.clear()

    def _work(self) -> None:
        asked, present = self._wanted(), self.part
        if self._folder is None or asked is None or present is None:
            return
        if present.step != "downloading":
            return
        try:
            if not download.download(asked, self._folder / BUNDLE, self._stopping):
                return
        except download.DownloadError as error:
            log.warning("update to %s: %s", asked.version, error)
            self._rejected = (asked.rollout, error.said)
            return
        if self._wanted() == asked:
            log.info("update to %s is downloaded; the installer verifies it", asked.version)
            request = {"rollout": asked.rollout, "version": asked.version}
            write_durably(self._folder / REQUEST, json.dumps(request).encode())

    def _wanted(self) -> UpdateArgs | None:
        if self._folder is None:
            return None
        try:
            return UpdateArgs.model_validate(_read(self._folder / WANTED))
        except ValidationError:
            return None


def _cause(result: dict[str, Any]) -> Said | str:
    """Return why an update ended: the installer's sentence, its text where that is not ours."""
    try:
        said = TypeAdapter(Said).validate_python(result.get("said"))
    except ValidationError:
        said = None
    return said if said is not None and said.known else str(result.get("text", ""))


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
