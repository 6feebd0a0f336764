"""Checkpoints on disk: each written whole or not at all, and checked before use.

A checkpoint is one immutable file: the SHA-256 of all that follows, a line of JSON, the payload.
The newest good one that was written as active is the active one. A return to an older one writes
its weights again as the newest, so no second file must agree with it: a power cut at any instant
leaves either the state before or the state after. A file whose hash is wrong is skipped.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from auscult.contract.label import Label
from auscult.contract.records import Checkpoint, CheckpointState, DeltaImport, HeadUpdate, Metrics
from auscult.contract.said import Rejection, Said
from auscult.durable import write_durably

logger = logging.getLogger(__name__)

SUFFIX = ".checkpoint"
DIGEST_BYTES = hashlib.sha256().digest_size
EVENTS = ("contradicts", "silenced", "raised")
"""Events of an update; those written by an older version lack some."""


class CheckpointError(Rejection):
    """A checkpoint that does not exist, is damaged, or can't become active."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A checkpoint, and what made it.

    A label or a delta made it, with its update; all three are None for a return to an older
    checkpoint. ``marks`` is how events are marked from then on (see `RowClass`), ``resolves`` the
    candidate that it promoted or rejected, if any. ``again`` says that a label which was learned
    before was trained again on windows that came later; its update then is of both together.
    """

    checkpoint: Checkpoint
    label: Label | None = None
    update: HeadUpdate | None = None
    marks: Mapping[str, int] = field(default_factory=dict)
    baseline_id: str = ""
    resolves: str = ""
    delta: DeltaImport | None = None
    again: bool = False

    @property
    def continues(self) -> bool:
        """Whether it belongs to the checkpoint before it, as it is no answer or return itself."""
        return self.again or bool(self.resolves)

    @property
    def is_return(self) -> bool:
        """Return whether it copies an older checkpoint, as no label, delta or candidate made it."""
        return self.label is None and self.delta is None and not self.continues


class CheckpointStore:
    """The checkpoints of one machine in one folder.

    Parameters
    ----------
    folder : Path
        Made if missing. Nothing else may write to it.
    keep : int
        Checkpoints whose weights are kept; of older ones the record stays. Those of the active one
        and of a candidate are always kept.
    """

    def __init__(self, folder: Path, keep: int) -> None:
        self._folder = folder
        self._keep = keep
        self._damaged: set[str] = set()
        self._active_id = ""
        folder.mkdir(parents=True, exist_ok=True)
        for leftover in folder.glob("*.tmp"):
            leftover.unlink()
        self._paths = sorted(folder.glob(f"*{SUFFIX}"))
        self._with_weights = self._paths.copy()

    def write(self, entry: LedgerEntry, payload: bytes) -> LedgerEntry:
        """Write a new checkpoint; its id, size and hash are set here and returned.

        With the state active it is the active one from now on.
        """
        digest = hashlib.sha256(payload).hexdigest()
        number = _number(self._paths[-1]) + 1 if self._paths else 1
        checkpoint_id = f"{number:06d}-{digest[:12]}"
        checkpoint = replace(
            entry.checkpoint,
            checkpoint_id=checkpoint_id,
            size_bytes=len(payload),
            sha256=digest,
        )
        update = entry.update
        if update is not None:
            update = replace(update, checkpoint_id=checkpoint_id)
        entry = replace(entry, checkpoint=checkpoint, update=update)
        path = self._write_entry(entry, payload)
        self._paths.append(path)
        self._with_weights.append(path)
        if _is_active(entry):
            self._active_id = checkpoint_id
        self._prune()
        return entry

    def payload(self, checkpoint_id: str) -> bytes:
        """Read the weights of a checkpoint, checked against their hash."""
        entry, payload = self._read(self._folder / f"{checkpoint_id}{SUFFIX}")
        if hashlib.sha256(payload).hexdigest() != entry.checkpoint.sha256:
            raise CheckpointError("checkpoint_weights_gone", checkpoint_id=checkpoint_id)
        return payload

    def active(self) -> LedgerEntry | None:
        """Return the active checkpoint, None before the first."""
        return next((e for e in self._newest_first() if _is_active(e)), None)

    def candidate(self) -> LedgerEntry | None:
        """Return the checkpoint in a shadow run, None without one."""
        newest = self.newest_first()
        return next((e for e in newest if e.checkpoint.state is CheckpointState.CANDIDATE), None)

    def last_active_of(self, baseline_id: str) -> LedgerEntry | None:
        """Return the newest checkpoint that was active on a baseline, None if none was."""
        return next(
            (e for e in self._newest_first() if _is_active(e) and e.baseline_id == baseline_id),
            None,
        )

    def entries(self) -> list[LedgerEntry]:
        """Return all good checkpoints, oldest first, in their present states."""
        return list(self.newest_first())[::-1]

    def newest_first(self) -> Iterator[LedgerEntry]:
        """Yield all good checkpoints in their present states; older ones are read when asked for.

        The newest active one is the active one; a candidate is one until it is promoted or
        rejected, or anything newer became active or candidate.
        """
        active_found = candidate_over = False
        resolved: set[str] = set()
        for entry in self._newest_first():
            checkpoint = entry.checkpoint
            state = checkpoint.state
            resolved.add(entry.resolves)
            if state is CheckpointState.ACTIVE:
                state = CheckpointState.RETIRED if active_found else state
                active_found = candidate_over = True
            elif state is CheckpointState.CANDIDATE:
                over = candidate_over or checkpoint.checkpoint_id in resolved
                state = CheckpointState.RETIRED if over else state
                candidate_over = True
            yield replace(entry, checkpoint=replace(checkpoint, state=state))

    def keeps(self, entry: LedgerEntry) -> bool:
        """Whether the weights of a checkpoint are kept, so that a return to it is possible."""
        path = self._folder / f"{entry.checkpoint.checkpoint_id}{SUFFIX}"
        try:
            with path.open("rb") as file:
                file.seek(DIGEST_BYTES)
                file.readline()  # the record
                return bool(file.read(1))
        except FileNotFoundError:
            return False

    def _newest_first(self) -> Iterator[LedgerEntry]:
        for path in reversed(self._paths):
            try:
                yield self._read(path)[0]
            except CheckpointError as error:
                if path.name not in self._damaged:
                    logger.error("checkpoint skipped: %s", error)
                    self._damaged.add(path.name)

    def _write_entry(self, entry: LedgerEntry, payload: bytes) -> Path:
        header = json.dumps(_fields_of(entry), default=_fields_of, separators=(",", ":")).encode()
        path = self._folder / f"{entry.checkpoint.checkpoint_id}{SUFFIX}"
        write_whole(path, header + b"\n" + payload)
        return path

    def _read(self, path: Path) -> tuple[LedgerEntry, bytes]:
        body = read_whole(path)
        if body is None:
            raise CheckpointError("no_checkpoint", checkpoint_id=path.stem)
        header, payload = body.split(b"\n", 1)
        return _entry_from_json(header), payload

    def _prune(self) -> None:
        """Discard the weights of checkpoints that grew too old; their records stay.

        Those of the active one and of a candidate in its shadow run are kept until they are over.
        """
        used = []
        for path in self._with_weights[: -self._keep]:
            try:
                entry, payload = self._read(path)
            except CheckpointError:
                continue
            if payload and self._in_use(entry):
                used.append(path)
            elif payload:
                self._write_entry(entry, b"")
        self._with_weights[: -self._keep] = used

    def _in_use(self, entry: LedgerEntry) -> bool:
        checkpoint_id = entry.checkpoint.checkpoint_id
        if checkpoint_id == self._known_active_id():
            return True
        if entry.checkpoint.state is not CheckpointState.CANDIDATE:
            return False
        candidate = self.candidate()
        return candidate is not None and candidate.checkpoint.checkpoint_id == checkpoint_id

    def _known_active_id(self) -> str:
        """Return the id of the active checkpoint, read from disk only once."""
        if not self._active_id:
            active = self.active()
            self._active_id = active.checkpoint.checkpoint_id if active else ""
        return self._active_id


def write_whole(path: Path, body: bytes) -> None:
    """Write a file, its hash first, so that a power cut leaves the old or the new one."""
    write_durably(path, hashlib.sha256(body).digest() + body)


def read_whole(path: Path) -> bytes | None:
    """Read what `write_whole` wrote, None if there is no such file.

    Raises
    ------
    CheckpointError
        If the hash is wrong.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    digest, body = data[:DIGEST_BYTES], data[DIGEST_BYTES:]
    if hashlib.sha256(body).digest() != digest:
        raise CheckpointError("file_damaged", file=path.name)
    return body


def _fields_of(record: Any) -> dict[str, Any]:
    if isinstance(record, Label):
        return record.model_dump(mode="json")
    return {field.name: getattr(record, field.name) for field in fields(record)}


def _is_active(entry: LedgerEntry) -> bool:
    return entry.checkpoint.state is CheckpointState.ACTIVE


def _number(path: Path) -> int:
    number = path.name.split("-", 1)[0]
    return int(number) if number.isdigit() else 0


def _entry_from_json(text: bytes) -> LedgerEntry:
    stored = json.loads(text)
    checkpoint, label, update = stored["checkpoint"], stored["label"], stored["update"]
    for name in ("metrics_before", "metrics_after"):
        if checkpoint[name] is not None:
            checkpoint[name] = Metrics(**checkpoint[name])
    checkpoint["state"] = CheckpointState(checkpoint["state"])
    checkpoint["reason"] = said_from_json(checkpoint["reason"])
    if update is not None:
        for name in ("before", "after"):
            update[name] = Metrics(**update[name])
        # up to 0.3 the sentences were `reason` and `advice`, and the machine was named again
        reason = update.pop("reason", None)
        advice = update.pop("advice", None) or update.get("advice_said")
        update.pop("machine", None)
        events = {name: tuple(update.get(name, ())) for name in EVENTS}
        said = said_from_json(update.get("said", reason))
        advised = said_from_json(advice) if advice else None
        update = HeadUpdate(**{**update, **events, "said": said, "advice_said": advised})
    delta = stored.get("delta")
    return LedgerEntry(
        Checkpoint(**checkpoint),
        None if label is None or not label["event_id"] else Label.model_validate(label),
        update,
        stored["marks"],
        stored.get("baseline_id", ""),
        stored.get("resolves", ""),
        DeltaImport(**delta) if delta else _old_delta(label),
        stored.get("again", _says(checkpoint["reason"], "learned_again")),
    )


def _says(said: Said, code: str) -> bool:
    """Tell whether a sentence holds a code; versions up to 0.2 noted `again` only so."""
    parts = said.values.get("parts")
    within = parts if isinstance(parts, tuple) else ()
    return said.code == code or any(isinstance(p, Said) and _says(p, code) for p in within)


def said_from_json(stored: Any) -> Said:
    """Read a sentence; versions before 0.2 stored it as English text."""
    if isinstance(stored, str):
        return Said("text", {"text": stored})
    return Said(stored["code"], {name: _value(x) for name, x in stored["values"].items()})


def _value(stored: Any) -> Any:
    if isinstance(stored, list):
        return tuple(map(_value, stored))
    return said_from_json(stored) if isinstance(stored, dict) else stored


def _old_delta(label: Mapping[str, Any] | None) -> DeltaImport | None:
    """Read a delta of versions before 0.2, which stored it as a label without an event."""
    if label is None or label["event_id"]:
        return None
    return DeltaImport(label["label_id"], "", "", "", label["actor"], label["at_ns"])
