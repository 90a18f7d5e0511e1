"""What the HTTP side of /mcp must refuse, by plain requests."""

import http.client
import json
import urllib.parse

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}}


def checks(base, token):
    """Yields (what, problem or None)."""
    right = {"Authorization": f"Bearer {token}"}
    for what, method, headers, statuses in [
        ("a right request", "POST", right, {200}),
        ("GET", "GET", right, {405}),
        ("DELETE", "DELETE", right, {405}),
        ("a foreign Host", "POST", {**right, "Host": "attacker.example"}, {403}),
        ("a foreign Origin", "POST", {**right, "Origin": "http://attacker.example"}, {403}),
        ("our own Origin", "POST", {**right, "Origin": base}, {200}),
        ("no token", "POST", {}, {401}),
        ("another token", "POST", {"Authorization": "Bearer " + "0" * 64}, {401}),
    ]:
        status = _ask(base, method, headers)
        yield f"{what}: {sorted(statuses)[0]}", None if status in statuses else f"answered {status}"


def _ask(base, method, headers):
    address = urllib.parse.urlsplit(base)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
    standard = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}
    body = json.dumps(LIST) if method == "POST" else None
    connection.request(method, "/mcp", body, {**standard, **headers})
    status = connection.getresponse().status
    connection.close()
    return status
