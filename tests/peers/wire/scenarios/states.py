"""Step Functions: a machine of our own, its executions and their history."""

import json

ROLE = {"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Principal": {"Service": "states.amazonaws.com"}, "Action": "sts:AssumeRole"}]}
DEFINITION = json.dumps({"StartAt": "Wait", "States": {
    "Wait": {"Type": "Wait", "Seconds": 1, "Next": "Done"}, "Done": {"Type": "Succeed"}}})
LONG = json.dumps({"StartAt": "Wait", "States": {"Wait": {"Type": "Wait", "Seconds": 30000000, "End": True}}})


def run(t):
    ok = lambda action, **p: t.ok("stepfunctions", action, **p)
    no = lambda action, code, **p: t.no("stepfunctions", action, code, **p)
    role = t.ask("iam", "CreateRole", RoleName="wire-states", AssumeRolePolicyDocument=json.dumps(ROLE))["Role"]["Arn"]
    machine = ok("CreateStateMachine", name="wire", definition=DEFINITION, roleArn=role)["stateMachineArn"]
    no("CreateStateMachine", "InvalidDefinition", name="other", definition="{", roleArn=role)
    no("CreateStateMachine", "InvalidName", name="a b", definition=DEFINITION, roleArn=role)
    said = ok("ValidateStateMachineDefinition", definition=DEFINITION)
    t.check("states: a good definition", [(said["result"], said["diagnostics"]) != ("OK", []) and str(said)])
    said = ok("ValidateStateMachineDefinition", definition='{"StartAt": "a", "States": {"b": {"Type": "Succeed"}}}')
    t.check("states: a definition without its start", [
        said["result"] != "FAIL" and str(said),
        not any(one["location"] == "/StartAt" for one in said["diagnostics"]) and str(said)])
    ok("DescribeStateMachine", stateMachineArn=machine)
    no("DescribeStateMachine", "StateMachineDoesNotExist", stateMachineArn=machine + "-not")
    no("DescribeStateMachine", "InvalidArn", stateMachineArn="nothing")
    ok("ListStateMachines")
    execution = ok("StartExecution", stateMachineArn=machine, name="one", input="{}")["executionArn"]
    no("StartExecution", "ExecutionAlreadyExists", stateMachineArn=machine, name="one", input='{"other": 1}')
    no("StartExecution", "InvalidExecutionInput", stateMachineArn=machine, input="{")
    t.until("the execution has succeeded",
            lambda: t.ask("stepfunctions", "DescribeExecution", executionArn=execution)["status"] == "SUCCEEDED")
    ok("DescribeExecution", executionArn=execution)
    no("DescribeExecution", "ExecutionDoesNotExist", executionArn=execution + "-not")
    ok("DescribeStateMachineForExecution", executionArn=execution)
    ok("GetExecutionHistory", executionArn=execution)
    no("GetExecutionHistory", "ExecutionDoesNotExist", executionArn=execution + "-not")
    ok("ListExecutions", stateMachineArn=machine, statusFilter="SUCCEEDED")
    ok("UpdateStateMachine", stateMachineArn=machine, definition=LONG)
    no("UpdateStateMachine", "MissingRequiredParameter", stateMachineArn=machine)
    running = ok("StartExecution", stateMachineArn=machine)["executionArn"]
    ok("StopExecution", executionArn=running, error="Wire", cause="held")
    no("StopExecution", "ExecutionDoesNotExist", executionArn=execution + "-not")
    ok("TagResource", resourceArn=machine, tags=[{"key": "team", "value": "wire"}])
    ok("ListTagsForResource", resourceArn=machine)
    ok("UntagResource", resourceArn=machine, tagKeys=["team"])
    ok("DeleteStateMachine", stateMachineArn=machine)
