"""One cluster by an agent's tools alone, in both protocol eras: looked for, begun, decided later, verified."""

import json
import time

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

REGION = "us-west-2"
TYPE = "ml.g6.4xlarge"
# For one operation, on a busy machine.
PATIENCE = 420
# The whole catalogue is at most 32 kB of JSON.
LARGEST_CATALOGUE = 32_000


class Failed(Exception):
    """What the journey needs did not come about."""


class Agent:
    """A client that holds each answer to its tool's promises."""

    def __init__(self, client, tools):
        self.client, self.tools = client, tools

    async def call(self, name, **arguments):
        if name not in self.tools:
            raise Failed(f"there is no tool {name}")
        began = time.monotonic()
        result = await self.client.call_tool(name, arguments)
        took = time.monotonic() - began
        text = result.content[0].text
        if result.is_error:
            raise Failed(f"{name}{arguments} failed: {text[:400]}")
        if json.loads(text) != result.structured_content:
            raise Failed(f"{name}: text and structured content differ")
        if took > 29:
            raise Failed(f"{name} took {took:.0f} s")
        return result.structured_content

    async def refused(self, name, **arguments):
        result = await self.client.call_tool(name, arguments)
        if not result.is_error:
            raise Failed(f"{name}{arguments} was not refused")
        return result.content[0].text

    async def all(self, name, **arguments):
        """Every page of a list."""
        items, cursor = [], {}
        while True:
            page = await self.call(name, **arguments, **cursor)
            items += page["items"]
            if not page.get("nextCursor"):
                return items
            cursor = {"cursor": page["nextCursor"]}

    async def finished(self, begun):
        """Waits with the tool that the answer names until the operation is terminal and has succeeded."""
        end = time.monotonic() + PATIENCE
        while True:
            operation = await self.call(begun["completionTool"], operationId=begun["operationId"], timeoutSeconds=20)
            if operation["done"]:
                break
            if time.monotonic() > end:
                raise Failed(f"{begun['kind']} goes on: {operation.get('stage')}: {operation.get('summary')}")
        if operation["state"] != "succeeded":
            raise Failed(f"{begun['kind']} {operation['state']} at {operation.get('stage')}: {operation.get('failure')}")
        return operation


async def connected(url, token, mode, act):
    """Runs `act(client)` in a client of the given mode."""
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            return await act(client)


async def catalogue(client):
    """Every tool has what an agent needs to choose it; answers the tools."""
    tools = (await client.list_tools()).tools
    for tool in tools:
        hints = tool.annotations
        given = [hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint] if hints else [None]
        if None in given or not tool.title or not tool.output_schema:
            raise Failed(f"{tool.name} lacks a title, a hint or an output schema")
        if not hints.read_only_hint and "wait_for_operation" not in (tool.description or ""):
            raise Failed(f"{tool.name} changes something and names no tool that shows completion")
    size = len(json.dumps([tool.model_dump(by_alias=True, exclude_none=True) for tool in tools], separators=(",", ":")))
    print(f"the catalogue: {len(tools)} tools, {size} bytes of JSON")
    if size > LARGEST_CATALOGUE:
        raise Failed(f"the catalogue has {size} bytes, more than {LARGEST_CATALOGUE}")
    return tools


async def look_around(agent):
    """The two clusters that are there, and where the type can be had."""
    found = {one["eksClusterName"]: one for one in (await agent.call("list_importable_clusters", region=REGION))["items"]}
    if set(found) < {"research", "legacy"}:
        raise Failed(f"the two clusters are not both found: {sorted(found)}")
    if found["research"].get("hyperpodClusterName") != "research":
        raise Failed(f"research has no HyperPod cluster: {found['research']}")
    if not found["legacy"].get("findings"):
        raise Failed("legacy is found without what it lacks")
    types = {one["instanceType"]: one for one in await agent.all("list_instance_types", region=REGION)}
    zones = {one["zoneId"] for one in (await agent.call("list_zones", region=REGION))["items"]}
    offered = [zone for zone in types[TYPE]["zoneIds"] if zone in zones]
    if not offered:
        raise Failed(f"{TYPE} is offered in none of {sorted(zones)}")
    return offered[0]


async def begin(agent, tag):
    """The control plane without capacity: ends after the dependencies, with the hyperpod stage waiting for decisions."""
    await agent.finished(await agent.call("create_cluster", tag=tag, region=REGION))
    stages = {one["stage"]: one["state"] for one in (await agent.call("list_stages", tag=tag))["items"]}
    wanted = {"control-plane": "succeeded", "selection": "succeeded", "dependencies": "succeeded",
              "hyperpod": "awaiting_decision"}
    if wanted.items() - stages.items():
        raise Failed(f"the stages are {stages}")


async def decide(agent, tag, zone):
    """One node, decided now; verified at the end."""
    group = {"zoneId": zone, "instanceType": TYPE, "instanceCount": 1, "capacityType": "on-demand"}
    await agent.finished(await agent.call("create_hyperpod", tag=tag, instanceGroups={"workers": group}))
    stages = {one["stage"]: one["state"] for one in (await agent.call("list_stages", tag=tag))["items"]}
    unlike = {name: state for name, state in stages.items() if state != "succeeded"}
    if len(stages) != 6 or unlike:
        raise Failed(f"not all six stages have succeeded: {stages}")


async def usable(agent, tag):
    """The node is Ready and takes pods, and a pod has read the bucket through s3-claim."""
    nodes = (await agent.call("list_nodes", tag=tag))["items"]
    states = [(one["instanceType"], one["status"], one["ready"], one["schedulable"]) for one in nodes]
    if states != [(TYPE, "Running", "True", True)]:
        raise Failed(f"the nodes are {nodes}")
    checks = json.dumps(await agent.call("get_stage", tag=tag, stage="verification"))
    if "s3-claim" not in checks:
        raise Failed(f"verification says nothing of s3-claim: {checks[:800]}")
