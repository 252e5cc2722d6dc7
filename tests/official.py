"""The specification's own JSON Schemas, read in place: what a message of a revision must be.

The files lie beside the checkout, in ../shared/spec, and are no part of the project. Where they are
missing, `MISSING` says so and what depends on them is skipped. The three older files are draft-07
and speak of `definitions`, the newer ones are 2020-12 and speak of `$defs`.
"""

import functools
import json
from pathlib import Path
from typing import Any

import jsonschema
import referencing

SPEC = Path(__file__).resolve().parents[2] / "shared" / "spec"
MISSING = (
    None if (SPEC / "schema").is_dir() else "no schemas of the specification in ../shared/spec"
)

NEVER_IN_MODERN = frozenset({-32002, -32042})
"""Codes that 2026-07-28 forbids: basic#error-codes."""

ASKS = frozenset({"tools/call", "prompts/get", "resources/read"})
"""The only requests that may be answered by input_required: basic/patterns/mrtr."""


class Schema:
    """The schema of one revision, and what it says of whole messages."""

    def __init__(self, revision: str) -> None:
        self.revision = revision
        self.body = json.loads((SPEC / "schema" / f"{revision}.json").read_text(encoding="utf-8"))
        self.key = "$defs" if "$defs" in self.body else "definitions"
        self.definitions: dict[str, Any] = self.body[self.key]
        self._mend_numbers()

    def _mend_numbers(self) -> None:
        """In `ElicitResult.content` the JSON files say integer where schema.ts says number."""
        content = self.definitions.get("ElicitResult", {}).get("properties", {}).get("content", {})
        for part in _parts(content.get("additionalProperties", {})):
            part["type"] = ["number" if kind == "integer" else kind for kind in part["type"]]

    @functools.cache  # noqa: B019 -- there are five of these, and they live as long as the tests
    def validator(self, name: str) -> Any:
        """A validator for one definition."""
        kind = jsonschema.validators.validator_for(self.body)
        schema = {**self.body, "$ref": f"#/{self.key}/{name}"}
        return kind(schema, registry=referencing.Registry())

    def complain(self, name: str, value: Any) -> list[str]:
        """What keeps a value from being what this definition describes."""
        found = jsonschema.exceptions.best_match(self.validator(name).iter_errors(value))
        return (
            [f"{self.revision} {name}: {found.json_path}: {found.message[:300]}"] if found else []
        )

    @functools.cache  # noqa: B019
    def methods(self, sender: str, kind: str) -> dict[str, str]:
        """The methods this side may send, each with the name of its definition.

        `sender` is "client" or "server", `kind` is "request" or "notification".
        """
        union = self.definitions.get(f"{sender.title()}{kind.title()}", {})
        names = [part["$ref"].rpartition("/")[2] for part in union.get("anyOf", [])]
        if not names and "properties" in union:  # a union of one is written out in full
            return {union["properties"]["method"]["const"]: f"{sender.title()}{kind.title()}"}
        return {self.definitions[n]["properties"]["method"]["const"]: n for n in names}

    def result_of(self, method: str, receiver: str) -> list[str]:
        """The definitions one of which a result of this method must fit."""
        request = self.methods(receiver, "request").get(method)
        if request is None:
            return ["Result"]
        own = request.replace("Request", "Result")
        names = [own if own in self.definitions else "EmptyResult"]
        if method in ASKS and "InputRequiredResult" in self.definitions:
            names.append("InputRequiredResult")
        return names

    # -- whole messages ----------------------------------------------------------------------

    def judge(self, message: Any, sender: str, answers: str | None = None) -> list[str]:
        """Everything wrong with a message that this side sent; `answers` is a request's method."""
        if isinstance(message, list):
            return [c for part in message for c in self.judge(part, sender, answers)]
        if "method" in message:
            return self._judge_call(message, sender)
        if sender == "client" and self.revision >= "2026-07-28":
            return ["a client of 2026-07-28 sends no responses"]
        if "error" in message:
            return self._judge_error(message)
        return self._judge_result(message, sender, answers)

    def _judge_call(self, message: Any, sender: str) -> list[str]:
        kind = "request" if "id" in message else "notification"
        name = self.methods(sender, kind).get(message["method"])
        if name is None:
            return [f"{self.revision}: a {sender} sends no {kind} {message['method']!r}"]
        return self.complain(f"JSONRPC{kind.title()}", message) or self.complain(name, message)

    def _judge_result(self, message: Any, sender: str, answers: str | None) -> list[str]:
        new = "JSONRPCResultResponse" in self.definitions
        envelope = self.complain("JSONRPCResultResponse" if new else "JSONRPCResponse", message)
        if envelope or answers is None:
            return envelope
        names = self.result_of(answers, "server" if sender == "client" else "client")
        value = message["result"]
        if value.get("resultType") == "input_required":
            return self._judge_question(value, names)
        return self.complain(names[0], value)

    def _judge_question(self, value: Any, names: list[str]) -> list[str]:
        if "InputRequiredResult" not in names:
            return ["input_required answers a request that may not be answered so"]
        if "inputRequests" not in value and "requestState" not in value:
            return ["input_required without questions and without a state"]
        return self.complain("InputRequiredResult", value)

    def _judge_error(self, message: Any) -> list[str]:
        new = "JSONRPCErrorResponse" in self.definitions
        found = self.complain("JSONRPCErrorResponse" if new else "JSONRPCError", message)
        code = message["error"].get("code")
        if self.revision >= "2026-07-28":
            if code in NEVER_IN_MODERN:
                found.append(f"{self.revision} forbids the code {code}")
            if -32099 <= code <= -32020 and code not in self.codes():
                found.append(f"{self.revision} reserves the code {code} and does not define it")
        return found + (self.complain(self.codes()[code], message) if code in self.codes() else [])

    @functools.cache  # noqa: B019
    def codes(self) -> dict[int, str]:
        """The error codes that have a definition for the whole message."""
        found = {}
        for name, definition in self.definitions.items():
            error = definition.get("properties", {}).get("error", {})
            for part in error.get("allOf", []):
                code = part.get("properties", {}).get("code", {}).get("const")
                if code is not None:
                    found[code] = name
        return found


def _parts(schema: Any) -> list[Any]:
    """The alternatives of a schema that name several types."""
    alternatives = schema.get("anyOf", [schema])
    return [part for part in alternatives if isinstance(part.get("type"), list)]


@functools.cache
def schema(revision: str) -> Schema:
    """The schema of a revision, read once."""
    return Schema(revision)
