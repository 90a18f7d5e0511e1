"""Lambda: the product's own functions, invoked with something that none of them takes."""

import json


def run(t):
    machines = t.ask("stepfunctions", "ListStateMachines")["stateMachines"]
    definitions = (t.ask("stepfunctions", "DescribeStateMachine", stateMachineArn=one["stateMachineArn"])["definition"]
                   for one in machines)
    name = next(next(_functions(json.loads(text)["States"])) for text in definitions)
    _looked_at(t, name)
    answer = t.ok("lambda", "Invoke", FunctionName=name, Payload=b"{}")
    error = json.loads(answer["Payload"].read())
    t.check("lambda: a function's failure is in the payload", [
        answer.get("FunctionError") != "Unhandled" and f"FunctionError is {answer.get('FunctionError')}",
        not error.get("errorType") and f"no errorType in {error}"])
    t.no("lambda", "Invoke", "ResourceNotFoundException", FunctionName="nothing", Payload=b"{}")
    t.no("lambda", "Invoke", "InvalidRequestContentException", FunctionName=name, Payload=b"{")


def _looked_at(t, name):
    first = t.ok("lambda", "ListFunctions", MaxItems=1)
    second = t.ok("lambda", "ListFunctions", MaxItems=1, Marker=first["NextMarker"])
    t.check("lambda: pages go on", [first["Functions"] == second["Functions"] and "the second page is the first"])
    shown = t.ok("lambda", "GetFunctionConfiguration", FunctionName=name)
    whole = t.ok("lambda", "GetFunction", FunctionName=shown["FunctionArn"])["Configuration"]
    t.check("lambda: a function is found by its ARN", [whole["Role"] != shown["Role"] and f"{whole} is not {shown}"])
    role = shown["Role"].rsplit("/", 1)[1]
    t.check("lambda: a function's role is there", [not t.ask("iam", "GetRole", RoleName=role) and role])
    t.no("lambda", "GetFunction", "ResourceNotFoundException", FunctionName="nothing")


def _functions(states):
    for state in states.values():
        function = state.get("Parameters", {}).get("FunctionName")
        if isinstance(function, str):
            yield function
