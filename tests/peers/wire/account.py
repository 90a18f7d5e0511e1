"""The account as botocore's clients see it: calls that must succeed, and calls that must be refused, each held to the model.

Every call is a check of its own. A scenario goes on after a failed one as long as it can.
"""

import copy
import os
import time

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

import shapes

# Codes that any action of a service may answer and that no model lists with each action.
COMMON = {
    "ValidationException", "ValidationError", "SerializationException", "AccessDeniedException", "AccessDenied",
    "ThrottlingException", "Throttling", "UnrecognizedClientException", "InvalidParameterValue", "MissingParameter",
    "UnknownParameter", "InvalidParameterCombination", "InvalidAction", "SignatureDoesNotMatch", "InvalidClientTokenId",
}
# A world that runs faster than AWS settles within seconds; IAM and EC2 reads lag.
PATIENCE = 60


class Refused(Exception):
    """A call that had to succeed was refused, so what builds on it cannot go on."""


class Account:
    """Counts checks and remembers which actions have succeeded and which have been refused."""

    def __init__(self, region=None):
        self.tally = {"passed": 0, "failed": 0}
        self.succeeded, self.refused_actions = set(), set()
        self.region = region or os.environ["AWS_DEFAULT_REGION"]
        config = Config(parameter_validation=False, retries={"total_max_attempts": 1}, read_timeout=60)
        self.session = boto3.Session(region_name=self.region)
        self.config, self.clients = config, {}

    def as_user(self, access_key_id, secret_access_key):
        """The same account with another's credentials; what is counted is counted together."""
        user = copy.copy(self)
        user.session = boto3.Session(access_key_id, secret_access_key, region_name=self.region)
        user.clients = {}
        return user

    def client(self, service):
        if service not in self.clients:
            client = self.session.client(service, config=self.config)
            client.meta.events.register("before-parse", self._keep_body)
            self.clients[service] = client
        return self.clients[service]

    def _keep_body(self, response_dict, **_):
        self.body = response_dict["body"]

    def check(self, what, problems):
        """One check: passed when there is no problem."""
        problems = [problem for problem in problems if problem]
        if problems:
            self.tally["failed"] += 1
            print(f"failed {what}")
            for problem in problems[:6]:
                print(f"    {problem}")
        else:
            self.tally["passed"] += 1
        return not problems

    def ask(self, service, action, **parameters):
        """Calls without counting; answers what botocore parsed."""
        return self.client(service)._make_api_call(action, parameters)

    def ok(self, service, action, **parameters):
        """A call that succeeds with an answer as the model has it."""
        client = self.client(service)
        model = client.meta.service_model
        operation = model.operation_model(action)
        try:
            answer = self.ask(service, action, **parameters)
        except ClientError as error:
            self.check(f"{service}.{action}", [f"refused: {error}"])
            raise Refused(f"{service}.{action}") from error
        self.succeeded.add((service, action))
        problems = list(shapes.wrong_in(answer, operation.output_shape)) if operation.output_shape else []
        body = b"" if operation.has_streaming_output else self.body
        protocol = model.metadata["protocol"]
        problems += list(shapes.unknown_in(body, operation, protocol))
        self.check(f"{service}.{action}", problems)
        return answer

    def no(self, service, action, code, **parameters):
        """A call that is refused with `code`, in the words and the status that the model has for it."""
        self.held(service, action, code, lambda: self.ask(service, action, **parameters))

    def held(self, service, action, code, call):
        what = f"{service}.{action} refused with {code}"
        try:
            call()
        except ClientError as error:
            self.refused_actions.add((service, action))
            self.check(what, self._wrong_refusal(service, action, code, error.response))
        except Exception as error:
            self.check(what, [f"{type(error).__name__}: {error}"])
        else:
            self.check(what, ["it succeeded"])

    def _wrong_refusal(self, service, action, code, response):
        model = self.client(service).meta.service_model
        status = response["ResponseMetadata"]["HTTPStatusCode"]
        said = response["Error"].get("Code")
        yield said != code and f"the code is {said}: {response['Error'].get('Message')}"
        yield not 400 <= status < 500 and f"the status is {status}"
        yield not response["Error"].get("Message") and "there is no message"
        yield not response["ResponseMetadata"].get("RequestId") and "there is no request id"
        declared = model.operation_model(action).error_shapes
        shape = next((one for one in declared if said in (one.name, one.error_code)), None)
        if shape is None and service not in ("ec2", "s3") and said not in COMMON:
            yield f"{said} is no error of {action}"
        if shape is not None:
            wanted = shape.metadata.get("error", {}).get("httpStatusCode")
            yield wanted and wanted != status and f"{said} has the status {wanted}, not {status}"
            members = {name: response[name] for name in shape.members if name in response}
            for name, value in members.items():
                yield from shapes.wrong_in(value, shape.members[name], f"error.{name}")

    def until(self, what, holds):
        """Asks until `holds()` is true; answers that."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                held = holds()
            except ClientError:
                held = None
            if held:
                return held
            if time.monotonic() > end:
                self.check(what, [f"not within {PATIENCE} s"])
                raise Refused(what)
            time.sleep(0.2)
