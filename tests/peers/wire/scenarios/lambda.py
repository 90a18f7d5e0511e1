"""Lambda: the product's own functions, invoked with something that none of them takes."""

import json


def run(t):
    machines = t.ask("stepfunctions", "ListStateMachines")["stateMachines"]
    definitions = (t.ask("stepfunctions", "DescribeStateMachine", stateMachineArn=one["stateMachineArn"])["definition"]
                   for one in machines)
    name = next(_functions(json.loads(text)["States"]) for text in definitions)
    answer = t.ok("lambda", "Invoke", FunctionName=next(iter(name)), Payload=b"{}")
    error = json.loads(answer["Payload"].read())
    t.check("lambda: a function's failure is in the payload", [
        answer.get("FunctionError") != "Unhandled" and f"FunctionError is {answer.get('FunctionError')}",
        not error.get("errorType") and f"no errorType in {error}"])
    t.no("lambda", "Invoke", "ResourceNotFoundException", FunctionName="nothing", Payload=b"{}")
    t.no("lambda", "Invoke", "InvalidRequestContentException", FunctionName=next(iter(name)), Payload=b"{")


def _functions(states):
    for state in states.values():
        function = state.get("Parameters", {}).get("FunctionName")
        if isinstance(function, str):
            yield function
