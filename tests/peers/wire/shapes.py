"""Holds an answer against botocore's service models: what was parsed, and what the parser would have passed over.

botocore's parsers are lenient: they skip members that they do not know and do not ask for those that must be there. So
the parsed answer is walked for types, enums, bounds and required members, and the raw body for unknown members.
"""

import datetime
import json
import re
import xml.etree.ElementTree as xml

# Members that every answer of the query protocols may have beside the modelled ones.
ENVELOPE = {"ResponseMetadata", "requestId", "RequestId"}
# Shapes that say themselves that they are any JSON, or bytes.
OPAQUE = {"blob"}


def wrong_in(value, shape, path="$"):
    """Yields a sentence for everything in the parsed `value` that `shape` does not allow."""
    kind = shape.type_name
    if kind == "structure":
        yield from _structure(value, shape, path)
    elif kind == "list":
        if not isinstance(value, list):
            yield f"{path}: {value!r} is no list"
            return
        for place, item in enumerate(value):
            yield from wrong_in(item, shape.member, f"{path}[{place}]")
    elif kind == "map":
        for key, item in value.items():
            yield from wrong_in(key, shape.key, f"{path} key {key!r}")
            yield from wrong_in(item, shape.value, f"{path}.{key}")
    else:
        yield from _scalar(value, shape, path)


def _structure(value, shape, path):
    if getattr(shape, "is_document_type", False):
        return
    if not isinstance(value, dict):
        yield f"{path}: {value!r} is no structure"
        return
    for name in shape.required_members:
        if name not in value:
            yield f"{path}: {name} is required"
    for name, item in value.items():
        if name in shape.members:
            yield from wrong_in(item, shape.members[name], f"{path}.{name}")
        elif not (path == "$" and name == "ResponseMetadata"):
            yield f"{path}: {name} is no member of {shape.name}"
    if getattr(shape, "is_tagged_union", False) and len(value) != 1:
        yield f"{path}: a union with {len(value)} members"


# Words that EC2 answers and documents although its model spells them otherwise.
BESIDE_THE_MODEL = {"AttachmentStatus": {"available"}, "State": {"available", "pending", "deleting", "deleted"}}

# DynamoDB answers 0 decreases today, which its model calls positive.
ZERO_ALLOWED = {"PositiveLongObject"}
# DynamoDB's answers carry it; no model and no document names it, and every client passes over it.
UNDOCUMENTED = {"TableThroughputModeSummary"}

TYPES = {
    "string": str,
    "character": str,
    "integer": int,
    "long": int,
    "float": (int, float),
    "double": (int, float),
    "boolean": bool,
    "timestamp": datetime.datetime,
    "blob": (bytes, bytearray, object),
}


def _scalar(value, shape, path):
    kind = shape.type_name
    if shape.name == "policyDocumentType" and isinstance(value, dict):
        return  # botocore has read the document already
    numeric = kind in ("integer", "long", "float", "double")
    if not isinstance(value, TYPES[kind]) or (numeric and isinstance(value, bool)):
        yield f"{path}: {value!r} is no {kind}"
        return
    if kind == "string" and shape.enum and value not in {*shape.enum, *BESIDE_THE_MODEL.get(shape.name, ())}:
        yield f"{path}: {value!r} is none of {shape.name}'s words"
    # Only lower bounds and patterns of strings are held: upper bounds of answers are often outdated in the models.
    least = shape.metadata.get("min")
    if least is not None and numeric and value < least and shape.name not in ZERO_ALLOWED:
        yield f"{path}: {value} is less than {least}"
    if kind == "string" and least is not None and len(value) < least:
        yield f"{path}: {value!r} is shorter than {least}"


def unknown_in(body, operation, protocol):
    """Yields the members of a raw `body` that the operation's output does not have."""
    shape = operation.output_shape
    if not body:
        return
    if protocol in ("json", "rest-json"):
        if shape is None:
            return
        payload = shape.serialization.get("payload")
        target = shape.members[payload] if payload else shape
        if target.type_name in OPAQUE or operation.has_streaming_output:
            return
        yield from _unknown_json(json.loads(body), target, "$")
    else:
        root = xml.fromstring(body)
        if protocol == "query":
            wrapper = shape.serialization.get("resultWrapper") if shape is not None else None
            beside = {_local(child) for child in root} - ENVELOPE - {wrapper}
            for name in sorted(beside, key=str):
                yield f"$: {name} beside the result"
            root = next((child for child in root if _local(child) == wrapper), None)
        if root is not None and shape is not None:
            yield from _unknown_xml(root, shape, "$", protocol)


def _unknown_json(value, shape, path):
    if value is None or getattr(shape, "is_document_type", False):
        return
    if shape.type_name == "structure" and isinstance(value, dict):
        known = {member.serialization.get("name", name): member for name, member in shape.members.items()}
        for name, item in value.items():
            if name in known:
                yield from _unknown_json(item, known[name], f"{path}.{name}")
            elif name not in UNDOCUMENTED | {"__type"}:
                yield f"{path}: {name} is unknown"
    elif shape.type_name == "list" and isinstance(value, list):
        for place, item in enumerate(value):
            yield from _unknown_json(item, shape.member, f"{path}[{place}]")
    elif shape.type_name == "map" and isinstance(value, dict):
        for key, item in value.items():
            yield from _unknown_json(item, shape.value, f"{path}.{key}")


def _local(element):
    return re.sub(r"^\{.*\}", "", element.tag)


def _unknown_xml(element, shape, path, protocol):
    if shape.type_name == "structure":
        known = {}
        for name, member in shape.members.items():
            location = member.serialization.get("name", name)
            if member.type_name == "list" and member.serialization.get("flattened"):
                location = member.member.serialization.get("name", location)
            known[location] = member
        for child in element:
            name = _local(child)
            if name in known:
                member = known[name]
                if member.type_name == "list" and member.serialization.get("flattened"):
                    member = member.member
                yield from _unknown_xml(child, member, f"{path}.{name}", protocol)
            elif name not in ENVELOPE:
                yield f"{path}: {name} is unknown"
    elif shape.type_name == "list":
        wanted = shape.member.serialization.get("name", "member")
        for place, child in enumerate(element):
            if _local(child) != wanted:
                yield f"{path}[{place}]: {_local(child)} instead of {wanted}"
            else:
                yield from _unknown_xml(child, shape.member, f"{path}[{place}]", protocol)
