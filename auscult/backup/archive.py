"""A backup: a zip file of a data folder, with a list of the hashes of all files in it.

A data folder belongs to the service's user, and root may run this: links and devices in it are
rejected, and root reads and writes it as its owner.
Databases are copied through SQLite's backup, so that they are consistent while a process writes.
Their owners replace the other files whole; these are copied again if they change meanwhile.
Nothing is restored before every hash, every database and the version are checked.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import lzma
import os
import shutil
import sqlite3
import stat
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from auscult.backup import sqlite_file
from auscult.backup.encryption import EncryptionError, decrypt, encrypt, is_encrypted
from auscult.backup.owner import as_owner
from auscult.durable import sync_folder
from auscult.file_hash import sha256_of

FORMAT = 1
LIST = "backup.json"
MOST_LIST_BYTES = 16 * 2**20
"""Largest list of files that is read, some 100,000 names."""
DATABASE = ".db"
PASSED_OVER = (
    "lock", "lost+found", "*-wal", "*-shm", "*.tmp", "*.db.damaged-*", "before-*", ".restoring",
)  # fmt: skip
TRIES = 5
"""How often files are copied again that changed meanwhile."""
COPY_BYTES = 1 << 20
UNREADABLE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, KeyError,
    ValueError, TypeError, AttributeError,
)  # fmt: skip
"""What a changed zip file raises, and a list that another program made."""


Reading = Callable[[], AbstractContextManager[None]]
"""Gives the rights with which a data folder is read."""


class BackupError(Exception):
    """A backup can't be made or restored; the message has file, cause and remedy."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of a backup; older backups lack the time of its last change (0)."""

    sha256: str
    size: int
    changed_ns: int


@dataclass(frozen=True, slots=True)
class Contents:
    """What a backup holds.

    Parameters
    ----------
    kind : str
        ``gateway`` or ``dashboard``.
    of : str
        Which one, for people.
    version : str
        Of the software that made it.
    created_ms : int
    files : mapping of str to File
        By path.
    """

    kind: str
    of: str
    version: str
    created_ms: int
    files: Mapping[str, File]


def write(
    path: Path,
    folder: Path,
    kind: str,
    of: str,
    version: str,
    passphrase: str | None = None,
    *,
    own_process: bool = False,
) -> Contents:
    """Back a data folder up into one file, also while it is used; verify it, then rename it.

    Parameters
    ----------
    path, folder : Path
    kind, of, version : str
    passphrase : str or None
    own_process : bool
        No other thread runs: root reads the folder as its owner.

    Raises
    ------
    BackupError
        If something can't be read or written, the folder holds a link or a device, or the file is
        not what was written.
    """
    aside = path.with_name(f"{path.name}.tmp")
    try:
        _expect_data(folder, kind)
        with _beside(path) as temporary:
            copy = temporary / "data"
            copy_settled(folder, copy, own_process=own_process)
            made = _packed(copy, temporary / "zip", kind, of, version)
            with (temporary / "zip").open("rb") as plain, new_file(aside) as target:
                if passphrase is None:
                    shutil.copyfileobj(plain, target, COPY_BYTES)
                else:
                    encrypt(plain, target, passphrase)
                target.flush()
                os.fsync(target.fileno())
        with opened(aside, passphrase) as (_, contents):
            if contents != made:
                raise BackupError(f"{aside}: not what was written: check the disk")
        aside.replace(path)
        sync_folder(path.parent)
    except (OSError, *sqlite_file.ERRORS) as error:
        raise BackupError(f"{path}: the backup failed: {error}") from error
    finally:
        aside.unlink(missing_ok=True)
    return made


@contextlib.contextmanager
def opened(path: Path, passphrase: str | None = None) -> Iterator[tuple[zipfile.ZipFile, Contents]]:
    """Open a backup after every hash in it was compared.

    Raises
    ------
    BackupError
        If it is damaged, not a backup, encrypted with another passphrase, or of a newer format.
    """
    with contextlib.ExitStack() as stack:
        try:
            file: BinaryIO = stack.enter_context(path.open("rb"))
            if is_encrypted(file):
                if passphrase is None:
                    raise BackupError(f"{path} is encrypted: name the file of its passphrase")
                plain = stack.enter_context(tempfile.TemporaryFile(dir=path.parent))
                decrypt(file, plain, passphrase)
                file = plain
            archive = stack.enter_context(zipfile.ZipFile(file))
            contents = _read_list(path, archive)
            _compare(path, archive, contents)
        except EncryptionError as error:
            raise BackupError(f"{path} can't be decrypted: {error}") from None
        except UNREADABLE as error:
            raise BackupError(f"{path} is damaged or no backup ({error}): use another") from None
        except (OSError, RuntimeError) as error:
            raise BackupError(f"{path} can't be read: {error}") from error
        yield archive, contents


def restore(
    path: Path,
    folder: Path,
    kind: str,
    migrations: Mapping[str, Collection[str]],
    passphrase: str | None = None,
    *,
    replace: bool = False,
) -> Contents:
    """Restore a backup into a data folder that no process uses; root does it as its owner.

    Parameters
    ----------
    path : Path
    folder : Path
        Must be empty or missing; with `replace` its files are moved to ``before-TIME`` in it.
    kind : str
    migrations : mapping of str to collection of str
        The schema steps that this version knows, by database file.
    passphrase : str or None
    replace : bool

    Raises
    ------
    BackupError
        If the file is damaged, of another kind or made by a newer version, or the folder in use.
    """
    with opened(path, passphrase) as (archive, contents):
        if contents.kind != kind:
            raise BackupError(f"{path} is the backup of a {contents.kind}, not of a {kind}")
        try:
            _put(path, archive, contents, folder, migrations, replace=replace)
        except (OSError, *sqlite_file.ERRORS) as error:
            raise BackupError(f"{folder}: can't be restored: {error}") from error
        return contents


def _put(
    path: Path,
    archive: zipfile.ZipFile,
    contents: Contents,
    folder: Path,
    migrations: Mapping[str, Collection[str]],
    *,
    replace: bool,
) -> None:
    with as_owner(folder):
        present = folder.exists() and any(p.name != "lock" for p in folder.iterdir())
        if present and not replace:
            raise BackupError(
                f"{folder} holds data: name an empty data_dir, or restore with --replace"
            )
        _unused(folder)
        staging = folder / ".restoring"
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir(parents=True, mode=0o700)
        _check_room(path, staging, contents)
        _extract(archive, contents, staging)
        for database in staging.rglob(f"*{DATABASE}"):
            _check_database(path, database, contents, migrations.get(database.name))
        if present:
            before = folder / time.strftime("before-%Y%m%d-%H%M%S", time.gmtime())
            before.mkdir()
            for old in list(folder.iterdir()):
                if old != staging and old.name != "lock" and not _is_before(old.name):
                    old.rename(before / old.name)
        for restored in staging.iterdir():
            restored.rename(folder / restored.name)
        staging.rmdir()
        sync_folder(folder)


def _check_room(path: Path, staging: Path, contents: Contents) -> None:
    needed = sum(file.size for file in contents.files.values())
    if needed > (free := shutil.disk_usage(staging).free):
        staging.rmdir()
        raise BackupError(
            f"{path} needs {needed / 1e6:.0f} MB in {staging.parent}, {free / 1e6:.0f} MB are "
            "free: make room, or restore to another disk"
        )


def _extract(archive: zipfile.ZipFile, contents: Contents, folder: Path) -> None:
    for name, about in contents.files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(name) as source, new_file(target) as file:
            shutil.copyfileobj(source, file, COPY_BYTES)
            file.flush()
            if about.changed_ns:
                os.utime(file.fileno(), ns=(about.changed_ns, about.changed_ns))
            os.fsync(file.fileno())


def _is_before(name: str) -> bool:
    return name.startswith("before-")


def _expect_data(folder: Path, kind: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        if any(path.suffix == DATABASE for path in folder.iterdir()):
            return
    raise BackupError(
        f"there are no data of a {kind} in {folder.absolute()}: check data_dir in the "
        "configuration, and the folder in which this runs"
    )


def copy_settled(
    folder: Path, copy: Path, ignored: Collection[str] = (), *, own_process: bool
) -> None:
    """Copy a folder until no file changed meanwhile; databases last, each consistent in itself.

    Raises
    ------
    BackupError
        If the folder holds a link, a device or another thing that is no plain file or folder.
    """
    reading = partial(as_owner, folder) if own_process else nullcontext
    for _ in range(TRIES):
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir(parents=True)
        with reading():
            before = _plain_files(folder, ignored)
        for name, about in before.items():
            if not name.endswith(DATABASE):
                _copy_file(folder / name, copy / name, about, reading)
        for name in before:
            if name.endswith(DATABASE):
                _copy_database(folder / name, copy / name, reading)
        with reading():
            after = _plain_files(folder, ignored)
        if _state(before) == _state(after):
            return


def _plain_files(folder: Path, ignored: Collection[str]) -> dict[str, os.stat_result]:
    """Return the files of a folder by their path in it; no link is followed."""
    found: dict[str, os.stat_result] = {}
    passed_over = shutil.ignore_patterns(*PASSED_OVER, *ignored)
    walk = os.fwalk(folder.resolve(), onerror=_raise)
    for place, folders, files, descriptor in walk:
        inside = Path(place).relative_to(folder.resolve())
        left_out = passed_over(place, [*folders, *files])
        folders[:] = [name for name in folders if name not in left_out]
        for name in {*folders, *files}.difference(left_out):
            try:
                about = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            except FileNotFoundError:
                continue  # removed meanwhile
            if stat.S_ISREG(about.st_mode):
                found[(inside / name).as_posix()] = about
            elif not stat.S_ISDIR(about.st_mode):
                raise BackupError(
                    f"{folder / inside / name} is a link or a device: a backup holds plain files "
                    "and folders; remove it, or put what it names in its place"
                )
    return found


def _raise(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):  # removed meanwhile
        raise error


def _state(files: Mapping[str, os.stat_result]) -> dict[str, tuple[int, int]]:
    return {
        name: (about.st_mtime_ns, about.st_size)
        for name, about in files.items()
        if not name.endswith(DATABASE)
    }


def _copy_file(source: Path, target: Path, about: os.stat_result, reading: Reading) -> None:
    try:
        with reading():
            descriptor = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return  # removed meanwhile
    target.parent.mkdir(parents=True, exist_ok=True)
    with os.fdopen(descriptor, "rb") as old, new_file(target) as new:
        shutil.copyfileobj(old, new, COPY_BYTES)
    os.utime(target, ns=(about.st_mtime_ns, about.st_mtime_ns))


def _copy_database(source: Path, target: Path, reading: Reading) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(sqlite3.connect(target)) as new:
        # with the copy's rights, SQLite opens nothing by its name while it reads as the owner
        new.execute("PRAGMA journal_mode = off")
        with (
            reading(),
            contextlib.closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True)) as old,
        ):
            old.backup(new)
        new.execute("PRAGMA journal_mode = delete")  # one file, without a log beside it


def _packed(copy: Path, target: Path, kind: str, of: str, version: str) -> Contents:
    files: dict[str, File] = {}
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for path in sorted(copy.rglob("*")):
            if path.is_file():
                name = path.relative_to(copy).as_posix()
                about = path.stat()
                files[name] = File(sha256_of(path), about.st_size, about.st_mtime_ns)
                archive.write(path, name)
        contents = Contents(kind, of, version, time.time_ns() // 1_000_000, files)
        archive.writestr(LIST, json.dumps({"format": FORMAT, **_as_json(contents)}, indent=1))
    return contents


def _as_json(contents: Contents) -> dict[str, Any]:
    files = {
        name: {"sha256": one.sha256, "bytes": one.size, "changed_ns": one.changed_ns}
        for name, one in contents.files.items()
    }
    return {
        "kind": contents.kind,
        "of": contents.of,
        "version": contents.version,
        "created_ms": contents.created_ms,
        "files": files,
    }


def _read_list(path: Path, archive: zipfile.ZipFile) -> Contents:
    if (size := archive.getinfo(LIST).file_size) > MOST_LIST_BYTES:
        raise ValueError(f"its list has {size} bytes, at most {MOST_LIST_BYTES} are read")
    about = json.loads(archive.read(LIST))
    if about["format"] > FORMAT:
        raise BackupError(
            f"{path} was made by auscult {about['version']} in a newer format: install that version"
        )
    files = {
        name: File(one["sha256"], one["bytes"], one.get("changed_ns", 0))
        for name, one in about["files"].items()
    }
    for name, file in files.items():
        if not 0 <= file.changed_ns < 2**63:
            raise ValueError(f"the time of {name!r} is no time")
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            raise ValueError(f"the path {name!r} leads outside")
    return Contents(about["kind"], about["of"], about["version"], about["created_ms"], files)


def _compare(path: Path, archive: zipfile.ZipFile, contents: Contents) -> None:
    if set(archive.namelist()) != {*contents.files, LIST}:
        raise BackupError(f"{path} is damaged (files are missing or added): use another backup")
    for name, one in contents.files.items():
        found = ""
        if archive.getinfo(name).file_size == one.size:
            with archive.open(name) as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
        if found != one.sha256:
            raise BackupError(f"{path} is damaged ({name} differs): use another backup")


def _check_database(
    path: Path, database: Path, contents: Contents, known: Collection[str] | None
) -> None:
    with contextlib.closing(sqlite3.connect(database)) as db:
        (sound,) = db.execute("PRAGMA integrity_check").fetchone()
        if sound != "ok":
            raise BackupError(f"{path}: {database.name} is damaged ({sound}): use another backup")
        if known is None:
            return
        done = {row[0] for row in db.execute("SELECT name FROM _sqlite_migrations")}
    if newer := sorted(done.difference(known)):
        raise BackupError(
            f"{path} was made by auscult {contents.version}, whose {database.name} is newer "
            f"({', '.join(newer)}): install that version or a later one, then restore"
        )


def _unused(folder: Path) -> None:
    """Check that no process has a database of the folder open.

    Raises
    ------
    BackupError
    """
    for database in folder.glob(f"*{DATABASE}"):
        with contextlib.closing(sqlite3.connect(database, timeout=1)) as db:
            try:
                db.execute("PRAGMA locking_mode = exclusive")
                db.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                raise BackupError(f"{folder} is in use ({error}): stop its process") from None
            except sqlite_file.ERRORS:
                continue  # damaged: that may be why a backup is restored


@contextlib.contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """Give a temporary folder on the disk of the backup, for its user only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".backup-", dir=path.parent) as name:
        yield Path(name)


def new_file(path: Path) -> BinaryIO:
    """Open a new file that only its user can read."""
    path.unlink(missing_ok=True)
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
