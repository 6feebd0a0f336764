"""The bill of materials (CycloneDX 1.5) with licences, of wheels or of an environment.

python docker/bundle/sbom.py > sbom.cdx.json      of the environment that runs it
"""

from __future__ import annotations

import importlib.metadata
import json
import uuid
from collections.abc import Iterable
from email.message import Message
from typing import Any


def component(metadata: Message, sha256: str = "") -> dict[str, Any]:
    """Return the entry of a package by its core metadata, with the hash of its wheel if known."""
    licence = (
        metadata["License-Expression"]
        or metadata["License"]
        or "; ".join(
            line.rpartition(" :: ")[2]
            for line in metadata.get_all("Classifier", [])
            if line.startswith("License ::")
        )
    )
    purl = f"pkg:pypi/{metadata['Name'].lower()}@{metadata['Version']}"
    return {
        "type": "library",
        "bom-ref": purl,
        "purl": purl,
        "name": metadata["Name"],
        "version": metadata["Version"],
        "hashes": [{"alg": "SHA-256", "content": sha256}] if sha256 else [],
        "licenses": [{"license": {"name": licence.splitlines()[0][:200]}}] if licence else [],
    }


def document(components: Iterable[dict[str, Any]], version: str) -> dict[str, Any]:
    """Return the whole bill of a version of Auscult."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid4()}",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "auscult", "version": version}},
        "components": sorted(components, key=lambda one: one["purl"]),
    }


if __name__ == "__main__":
    installed = (one.metadata for one in importlib.metadata.distributions())
    bill = document(map(component, installed), importlib.metadata.version("auscult"))  # type: ignore[arg-type]
    print(json.dumps(bill, indent=1))  # noqa: T201
