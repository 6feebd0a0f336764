"""Answers new gateways: certificate, identity, and a line in the list of the broker's rights."""

from __future__ import annotations

import fcntl
import logging
import os
from dataclasses import dataclass
from pathlib import Path

from auscult.app.enrolment import codes
from auscult.app.enrolment.exchange import Enrolled
from auscult.app.enrolment.pem_files import CertificateError
from auscult.app.enrolment.plant_ca import CA, PlantCa
from auscult.app.settings import EnrolmentSettings
from auscult.app.store import gateways
from auscult.app.store.connection import WritableDatabase
from auscult.app.store.database import DashboardStore
from auscult.contract.said import Rejection
from auscult.durable import write_durably
from auscult.errors import UnusableSettingError

log = logging.getLogger(__name__)

GATEWAYS = "gateways"
RESERVED = ("dashboard", "scada", "homeassistant", "health")
"""Users of the broker that are no gateways; those of `docker/mosquitto/acl`."""


class EnrolmentError(Rejection):
    """A gateway can't be enrolled."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a new gateway sends."""

    tag: str
    nonce: str
    csr: str
    proof: str


class EnrolmentService:
    """Enrols gateways by code, if `[dashboard.enrolment]` names the authority's folder.

    Raises
    ------
    UnusableSettingError
        If the folder has no authority or can't be written.
    """

    def __init__(
        self, settings: EnrolmentSettings, store: DashboardStore, dashboard_key: str
    ) -> None:
        self._settings = settings
        self._store = store
        self._dashboard_key = dashboard_key
        self._folder = settings.folder
        if self._folder is not None:
            self._check(self._folder)
            self.write_list()

    @property
    def open(self) -> bool:
        """Return whether gateways can be enrolled by code."""
        return self._folder is not None

    def check_id(self, site: str, gateway: str) -> None:
        """Reject what can't be the id of a new gateway at the broker.

        Raises
        ------
        EnrolmentError
        """
        if self._folder is None:
            raise EnrolmentError("enrolment_closed")
        if gateway in RESERVED:
            raise EnrolmentError("gateway_id_reserved", gateway=gateway)
        other = codes.site_of(self._store.read(), gateway)
        if other not in (None, site):
            raise EnrolmentError("gateway_id_taken", gateway=gateway, site=other)

    def enrol(self, request: Request, address: str, now_ms: int) -> tuple[Enrolled, str]:
        """Enrol a gateway; return the answer and its proof.

        Raises
        ------
        EnrolmentError
            If the code is unknown, used, over or blocked, or the request is not its owner's.
        """
        folder = self._folder
        if folder is None:
            raise EnrolmentError("enrolment_closed")

        def job(db: WritableDatabase) -> tuple[bytes, str, str, str] | None:
            found = codes.redeem(
                db,
                (request.tag, request.nonce, request.csr, request.proof),
                address,
                now_ms,
                lambda gateway: PlantCa(folder).sign(gateway, request.csr),
            )
            if found is not None:
                gateways.enrol(db, *found[1:3])
            return found

        try:
            found = self._store.write(job)
        except CertificateError as error:
            raise EnrolmentError("enrolment_failed", cause=str(error)) from error
        if found is None:
            raise EnrolmentError("code_rejected")
        key, site, gateway, certificate = found
        self.write_list()
        log.info("gateway %s/%s enrolled from %s", site, gateway, address)
        answer = Enrolled(
            site=site,
            gateway=gateway,
            certificate=certificate,
            authority=(folder / f"{CA}.crt").read_text(encoding="ascii"),
            broker=self._settings.broker,
            dashboard_key=self._dashboard_key,
            listed=self._settings.gateways_file is not None,
        )
        return answer, answer.proof(key, request.nonce)

    def write_list(self) -> None:
        """Write the ids of the enrolled gateways, one a line, for the rights of the broker."""
        if self._folder is None:
            return
        path = self._settings.gateways_file or self._folder / GATEWAYS
        with (self._folder / f"{CA}.key").open("rb") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)  # other workers write it too: the last one has all ids
            text = "".join(f"{name}\n" for name in codes.enrolled(self._store.read()))
            if path.is_file() and path.read_text(encoding="ascii") == text:
                return
            write_durably(path, text.encode("ascii"))

    def _check(self, folder: Path) -> None:
        lacking = [name for name in (f"{CA}.crt", f"{CA}.key") if not (folder / name).is_file()]
        key = f"dashboard.enrolment.folder = {str(folder)!r}"
        if lacking:
            raise UnusableSettingError(
                f"{key}: there is no {' and no '.join(lacking)}: copy them from the folder of "
                "`auscult certs make`"
            )
        listed = self._settings.gateways_file
        places = {key: folder}
        if listed is not None:
            places[f"dashboard.enrolment.gateways_file = {str(listed)!r}"] = listed.parent
        for setting, place in places.items():
            if not place.is_dir():
                raise UnusableSettingError(
                    f"{setting}: there is no folder {place}: make it, owned by the dashboard's user"
                )
            if not os.access(place, os.W_OK):
                raise UnusableSettingError(
                    f"{setting}: {place} can't be written: let the dashboard's user own the folder"
                )
