"""The product killed (SIGKILL) right after it accepted something: what was told with 202 is there at the next start."""

import json
import pathlib
import sys
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import product

# Of 25 seconds each, on a busy machine.
WAITS = 24


def run():
    """Does it; answers how many passed and failed."""
    with product.Product() as first:
        accepted = [ask(first, "POST", "/v1/clusters", {"tag": tag, "region": product.REGION}, key=tag) for tag in "ab"]
        first.kill()
        with product.Product(first.folder.name) as second:
            results = [goes_on(second, answer) for answer in accepted]
            results.append(same_again(second, accepted[0]))
    return results.count(True), results.count(False)


def goes_on(running, accepted):
    """The operation is there, and goes on to its end."""
    operation = accepted["operationId"]
    for _ in range(WAITS):
        seen = ask(running, "GET", f"/v1/operations/{operation}/wait")
        if seen.get("done"):
            break
    return told("an operation that was answered with 202", seen.get("state") == "succeeded", seen)


def same_again(running, accepted):
    """Its key is known."""
    again = ask(running, "POST", "/v1/clusters", {"tag": "a", "region": product.REGION}, key="a")
    return told("the key of a request before the kill", again.get("operationId") == accepted["operationId"], again)


def told(what, fine, seen):
    if not fine:
        print(f"failed {what}: {json.dumps(seen)[:400]}")
    return fine


def ask(running, method, path, body=None, key=None):
    headers = {"Authorization": "Bearer " + running.environment["PEOPLE_TOKEN"], "Content-Type": "application/json"}
    if key:
        headers["Idempotency-Key"] = key
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(running.environment["BASE_URL"] + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=180) as answer:
        return json.load(answer)
