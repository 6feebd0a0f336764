"""Who may connect to the OPC UA server, and what the one who calls may do."""

from __future__ import annotations

import hmac
import socket
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from asyncua import Server, ua
from asyncua.crypto.cert_gen import setup_self_signed_certificate
from asyncua.crypto.permission_rules import SimpleRoleRuleset, User, UserRole
from asyncua.crypto.truststore import TrustStore
from asyncua.crypto.validator import CertificateValidator, CertificateValidatorOptions
from cryptography.x509.oid import ExtendedKeyUsageOID

from auscult.gateway.outputs.opcua.settings import OpcUaSettings
from auscult.link.broker import CredentialsError

POLICIES = {
    "none": (ua.SecurityPolicyType.NoSecurity,),
    "sign": (
        ua.SecurityPolicyType.Basic256Sha256_Sign,
        ua.SecurityPolicyType.Aes128Sha256RsaOaep_Sign,
        ua.SecurityPolicyType.Aes256Sha256RsaPss_Sign,
    ),
    "sign_and_encrypt": (
        ua.SecurityPolicyType.Basic256Sha256_SignAndEncrypt,
        ua.SecurityPolicyType.Aes128Sha256RsaOaep_SignAndEncrypt,
        ua.SecurityPolicyType.Aes256Sha256RsaPss_SignAndEncrypt,
    ),
}
CHANGES = frozenset(
    ua.NodeId(i)
    for i in (
        ua.ObjectIds.WriteRequest_Encoding_DefaultBinary,
        ua.ObjectIds.AddNodesRequest_Encoding_DefaultBinary,
        ua.ObjectIds.DeleteNodesRequest_Encoding_DefaultBinary,
        ua.ObjectIds.AddReferencesRequest_Encoding_DefaultBinary,
        ua.ObjectIds.DeleteReferencesRequest_Encoding_DefaultBinary,
        ua.ObjectIds.RegisterServerRequest_Encoding_DefaultBinary,
        ua.ObjectIds.RegisterServer2Request_Encoding_DefaultBinary,
    )
)
"""Services that no client may use: values are read only."""

caller: ContextVar[User | None] = ContextVar("caller", default=None)
"""The user of the current request; asyncua does not pass it to methods."""


class Users:
    """Logs users in; asyncua's user manager.

    Raises
    ------
    CredentialsError
        If a password file can't be read or is empty.
    """

    def __init__(self, settings: OpcUaSettings) -> None:
        self._anonymous = settings.anonymous
        self._passwords = {user.name: _password(user.password_file) for user in settings.users}

    def get_user(
        self,
        _server: object,
        username: str | None = None,
        password: str | bytes | None = None,
        certificate: object = None,  # noqa: ARG002 - the name is asyncua's
    ) -> User | None:
        """Return the user; None if name or password is wrong."""
        if username is None:
            return User(UserRole.User, None) if self._anonymous else None
        given = password if isinstance(password, bytes) else (password or "").encode()
        right = self._passwords.get(username)
        same = hmac.compare_digest(given, right or b"\0")
        return User(UserRole.User, username) if same and right else None


class ReadOnly(SimpleRoleRuleset):
    """Lets everyone read, subscribe and call; remembers who calls."""

    def check_validity(self, user: User, action_type_id: ua.NodeId, body: Any) -> bool:
        """Return whether a service may be used; `body` is its request."""
        caller.set(user)
        return action_type_id not in CHANGES and bool(
            super().check_validity(user, action_type_id, body)
        )


async def secure(server: Server, settings: OpcUaSettings, folder: Path, uri: str) -> None:
    """Give the server its modes, certificate, and the clients that it trusts.

    Raises
    ------
    CredentialsError
        If certificate, key or the folder of trusted clients can't be used.
    """
    policies = [policy for mode in settings.modes for policy in POLICIES[mode]]
    server.set_security_policy(policies, permission_ruleset=ReadOnly())
    tokens: list[type] = [ua.AnonymousIdentityToken] if settings.anonymous else []
    if settings.users:
        tokens.append(ua.UserNameIdentityToken)
    server.set_identity_tokens(tokens)
    if set(settings.modes) == {"none"}:
        return
    cert_file, key_file = settings.cert_file, settings.key_file
    if cert_file is None or key_file is None:
        cert_file, key_file = folder / "server.der", folder / "server.pem"
        folder.mkdir(parents=True, exist_ok=True)
        # Makes both files only where they are missing or no longer valid.
        await setup_self_signed_certificate(
            key_file,
            cert_file,
            uri,
            socket.gethostname(),
            [ExtendedKeyUsageOID.SERVER_AUTH],
            {"organizationName": "Auscult"},
        )
        key_file.chmod(0o600)
    try:
        await server.load_certificate(cert_file)
        await server.load_private_key(key_file)
    except (OSError, ValueError) as error:
        raise CredentialsError(
            f"opcua.cert_file = {str(cert_file)!r}: {error}: give a readable certificate and "
            "its key"
        ) from error
    server.set_certificate_validator(await _validator(settings))


async def _validator(settings: OpcUaSettings) -> CertificateValidator:
    if settings.trusted_dir is None:
        return CertificateValidator(
            CertificateValidatorOptions.TIME_RANGE | CertificateValidatorOptions.PEER_CLIENT
        )
    if not settings.trusted_dir.is_dir() or not any(settings.trusted_dir.iterdir()):
        raise CredentialsError(
            f"opcua.trusted_dir = {str(settings.trusted_dir)!r}: no such folder, or empty: put the "
            "clients' certificates there"
        )
    store = TrustStore([settings.trusted_dir], [])
    await store.load()
    return CertificateValidator(
        CertificateValidatorOptions.TIME_RANGE
        | CertificateValidatorOptions.TRUSTED
        | CertificateValidatorOptions.PEER_CLIENT,
        store,
    )


def _password(path: Path) -> bytes:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CredentialsError(
            f"opcua.users.password_file = {str(path)!r}: cannot be read ({error})"
        ) from error
    if not lines or not lines[0].strip():
        raise CredentialsError(
            f"opcua.users.password_file = {str(path)!r}: empty: its first line is the password"
        )
    return lines[0].strip().encode()
