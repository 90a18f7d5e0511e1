"""Bad input: always a 4xx problem with a pointer and what would be right, and nothing changes in the account."""

import http.client
import itertools
import json
import os
import urllib.parse
import urllib.request

REGION = "us-west-2"
GROUP = {"zoneId": "usw2-az1", "instanceType": "ml.g6.4xlarge", "instanceCount": 1, "capacityType": "on-demand"}
LIMIT = 1 << 20
# What the world has to say, found by preflight: the status says of which kind the finding is.
WORLD = (400, 409, 422)


NUMBERS = itertools.count(1)


def cluster(**changes):
    """A right request but for `changes`; each has a tag of its own, so that one that is accepted hides no other."""
    return {"tag": f"bad-input-{next(NUMBERS)}", "region": REGION, **changes}


def group(**changes):
    return cluster(hyperpod={"instanceGroups": {"workers": {**GROUP, **changes}}})


TWICE = json.dumps(group()).replace('"workers": {', '"workers": ' + json.dumps(GROUP) + ', "workers": {').encode()

# What is wrong, the body, the pointers of which one must be named (None: the whole body), the status.
TABLE = [
    ("an unknown field", cluster(colour="red"), ["/colour"], 400),
    ("an unknown field within", group(colour="red"), ["/hyperpod/instanceGroups/workers/colour"], 400),
    ("no tag", {"region": REGION}, ["/tag"], 400),
    ("a tag that EKS does not take", cluster(tag="-no"), ["/tag"], 400),
    ("a tag of 101 characters", cluster(tag="a" * 101), ["/tag"], 400),
    ("a tag that is an EKS cluster's", cluster(tag="research"), ["/tag"], WORLD),
    ("a CIDR outside the private blocks", cluster(vpcCidr="8.8.0.0/16"), ["/vpcCidr"], 400),
    ("a CIDR that overlaps a VPC", cluster(vpcCidr="10.40.0.0/16"), ["/vpcCidr"], WORLD),
    ("a CIDR that is too large", cluster(vpcCidr="10.0.0.0/8"), ["/vpcCidr"], 400),
    ("a CIDR that is too small", cluster(vpcCidr="10.90.0.0/29"), ["/vpcCidr"], 400),
    ("a CIDR with host bits", cluster(vpcCidr="10.90.0.1/16"), ["/vpcCidr"], 400),
    ("no CIDR at all", cluster(vpcCidr="nonsense"), ["/vpcCidr"], 400),
    ("an unknown Region", cluster(region="xx-nowhere-1"), ["/region"], WORLD),
    ("an unknown zone", group(zoneId="usw2-az9"), ["/hyperpod/instanceGroups/workers/zoneId"], WORLD),
    ("an unknown type", group(instanceType="ml.p99.huge"), ["/hyperpod/instanceGroups/workers/instanceType"], WORLD),
    ("a count below 0", group(instanceCount=-1), ["/hyperpod/instanceGroups/workers/instanceCount"], 400),
    ("a count above the quota", group(instanceCount=5000), ["/hyperpod/instanceGroups/workers/instanceCount"], WORLD),
    ("a count that is text", group(instanceCount="1"), ["/hyperpod/instanceGroups/workers/instanceCount"], 400),
    ("an unknown capacity type", group(capacityType="free"), ["/hyperpod/instanceGroups/workers/capacityType"], 400),
    ("a training plan without its ARN", group(capacityType="training-plan"),
     ["/hyperpod/instanceGroups/workers/trainingPlanArn"], 400),
    ("a volume that EBS does not make", group(volumeSizeGib=16385), ["/hyperpod/instanceGroups/workers/volumeSizeGib"], 400),
    ("an unknown Kubernetes version", cluster(kubernetesVersion="1.01"), ["/kubernetesVersion"], WORLD),
    ("an administrator that is no ARN", cluster(administrators=["me"]), ["/administrators/0"], 400),
    ("two groups of one name", TWICE, ["/hyperpod/instanceGroups/workers", "/hyperpod/instanceGroups"], 400),
    ("malformed JSON", b'{"tag": ', None, 400),
    ("no object", b"[]", None, 400),
    ("an empty body", b"", None, 400),
    ("a body of 1 MiB and a byte", b'{"tag": "' + b"a" * (LIMIT + 1 - 11) + b'"}', None, 413),
]


def run():
    """Does all of it; answers how many passed and failed."""
    counts = {True: 0, False: 0}

    def check(what, problems):
        problems = [problem for problem in problems if problem]
        counts[not problems] += 1
        for problem in problems:
            print(f"failed {what}: {problem}")

    before = mutations()
    for what, body, pointers, status in TABLE:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        check(what, wrong(post(content, {"Content-Type": "application/json"}), pointers, status))
    check("another content type", wrong(post(b"tag: a", {"Content-Type": "application/yaml"}), None, 415))
    check("no idempotency key", wrong(post(json.dumps(cluster()).encode(), {"Content-Type": "application/json"}, key=False),
                                      None, 400))
    after = mutations()
    check("nothing changed in the account", [f"{name}: {count} more" for name, count in changed(before, after).items()])
    check("a tag in use", in_use())
    return counts[True], counts[False]


def in_use():
    """A cluster is accepted; the same tag with other content is refused, and named."""
    body = cluster(tag="in-use")
    status, *_ = post(json.dumps(body).encode(), {"Content-Type": "application/json"})
    if status != 202:
        return [f"the first was not accepted: {status}"]
    other = json.dumps({**body, "vpcCidr": "10.91.0.0/16"}).encode()
    return wrong(post(other, {"Content-Type": "application/json"}, key="another"), ["/tag"], 409, named="in-use")


def post(content, headers, key=True):
    headers = {**headers, "Authorization": "Bearer " + os.environ["PEOPLE_TOKEN"]}
    if key:
        # One key for each content: the same key with another body would be refused for that.
        headers["Idempotency-Key"] = key if isinstance(key, str) else f"bad-input-{hash(content) & 0xFFFFFFFF:x}"
    address = urllib.parse.urlsplit(os.environ["BASE_URL"])
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
    try:
        connection.request("POST", "/v1/clusters", content, headers)
    except (BrokenPipeError, ConnectionResetError):
        pass  # what is too large is refused before all of it was sent; the refusal can be read all the same
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, answer.headers, body


def wrong(answer, pointers, status, named=""):
    """What is wrong with a refusal."""
    said, headers, body = answer
    yield said not in (status if isinstance(status, tuple) else (status,)) and f"{said} instead of {status}: {body[:400]!r}"
    if not 400 <= said < 500:
        return
    kind = headers.get_content_type()
    yield kind != "application/problem+json" and f"the content type is {kind}"
    problem = json.loads(body)
    yield not (problem.get("code") and problem.get("detail") and problem.get("requestId")) and f"a poor problem: {problem}"
    yield named not in body.decode() and f"{named} is not named: {problem}"
    errors = problem.get("errors", [])
    found = {error["pointer"].removeprefix("#") for error in errors}
    if pointers is not None:
        yield not found & set(pointers) and f"no pointer of {pointers}: {problem}"
        yield not all(error.get("detail") for error in errors) and f"a pointer without what would be right: {problem}"


def mutations():
    """The account's counts of calls by `service:Action`."""
    with urllib.request.urlopen(os.environ["ACCOUNT_URL"] + "/_account/calls", timeout=30) as answer:
        return json.load(answer)


def changed(before, after):
    """Mutating calls other than of the product's own table that one has and the other has not."""
    more = {name: calls["mutating"] - before["counts"].get(name, {"mutating": 0})["mutating"]
            for name, calls in after["counts"].items()}
    return {name: count for name, count in more.items() if count and not name.startswith("dynamodb:")}
