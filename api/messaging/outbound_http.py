"""Outbound HTTP (外部调用): calls to public addresses only, against requests to the inner network (SSRF).

The operator may name inner hosts in ERP_OUTSIDE_HOSTS. The name is resolved once and that address
called, so that a name can't point elsewhere between the check and the call; redirects are not
followed.
"""

from __future__ import annotations

import ipaddress
import os
import socket
from typing import Any
from urllib.parse import SplitResult, urlsplit, urlunsplit

import httpx

from api.kit.errors import InvalidInput

SECONDS = 10
MOST_READ = 64 * 1024
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")


class UnreachableError(Exception):
    """A failure to reach the other side, or an answer too late or too long; worth another try."""


def validate_address(url: str) -> SplitResult:
    """Validate an http(s) address with a host name and return its parts.

    Raises: Invalid.
    """
    try:
        parts = urlsplit(url)
        port_is_fine = parts.port is None or parts.port > 0
    except ValueError:
        raise InvalidInput("网关地址不正确") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or not port_is_fine:
        raise InvalidInput("网关地址应以 http:// 或 https:// 开头，且不含用户名")
    return parts


def post_json(url: str, body: dict[str, Any], headers: dict[str, str]) -> tuple[int, str]:
    """Post JSON and return status and text.

    Raises: Invalid for what can't be sent, UnreachableError where no answer comes.
    """
    parts = validate_address(url)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    address = _resolve_address(host, port)
    literal = f"[{address}]" if ":" in address else address
    pinned = urlunsplit((parts.scheme, f"{literal}:{port}", parts.path or "/", parts.query, ""))
    sent = {**headers, "host": parts.netloc}
    options = {"timeout": SECONDS, "follow_redirects": False, "trust_env": False}
    try:
        with httpx.Client(**options) as client:  # type: ignore[arg-type]
            request = client.build_request("POST", pinned, json=body, headers=sent)
            request.extensions["sni_hostname"] = host
            response = client.send(request, stream=True)
            with_text = _read_text(response)
    except httpx.HTTPError as error:
        raise UnreachableError(f"网关没有应答（{type(error).__name__}）") from error
    except UnicodeEncodeError:
        raise InvalidInput("网关的域名和请求头里不能有中文") from None
    return response.status_code, with_text


def _read_text(response: httpx.Response) -> str:
    found = bytearray()
    try:
        for part in response.iter_bytes():
            found += part
            if len(found) > MOST_READ:
                raise UnreachableError("网关的应答过长")
    finally:
        response.close()
    return found.decode(errors="replace")


def _resolve_address(host: str, port: int) -> str:
    try:
        found = {entry[4][0] for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError) as error:
        raise UnreachableError("网关的域名无法解析") from error
    addresses = sorted(str(address).split("%")[0] for address in found)
    if host not in _inner_hosts() and any(not _is_public(address) for address in addresses):
        raise InvalidInput("不允许访问内网地址，请联系系统管理员")
    return addresses[0]


def _is_public(address: str) -> bool:
    """Return whether an address is a public one; an embedded IPv4 address decides."""
    found = ipaddress.ip_address(address)
    if isinstance(found, ipaddress.IPv6Address):
        translated = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF) if found in _TRANSLATED else None
        carried = found.ipv4_mapped or found.sixtofour or translated
        return (carried or found).is_global and not (carried or found).is_multicast
    return found.is_global and not found.is_multicast


def _inner_hosts() -> set[str]:
    return {host.strip() for host in os.environ.get("ERP_OUTSIDE_HOSTS", "").split(",") if host.strip()}
