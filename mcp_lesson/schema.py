"""JSON Schema, three ways: from a Python signature, against a value, and read for its defaults.

Schemas come from strangers, so nothing is fetched: a `$ref` to another machine is an error, not a
download. Schemas without `$schema` are read as 2020-12, the default since 2025-11-25.
Clause: https://modelcontextprotocol.io/specification/2026-07-28/basic#json-schema-usage

The two libraries that do the work are imported at first use: they are the slowest to load.
"""

import functools
import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any

MAX_PROBLEMS = 5
"""How many things wrong with a value are named at once."""


class Problem(str):
    """One thing wrong with a value, as a sentence: "a: '3' is not of type 'number'".

    path   where it is: the members and places that lead there from the whole value
    words  what is wrong there, without the place
    """

    path: tuple[str | int, ...] = ()
    words: str = ""


Validator = Callable[..., list[Problem]]


def validator(schema: Any) -> Validator:
    """A function that lists what is wrong with a value: the first few things, or `most` of them.

    Raises ValueError for a schema that is itself wrong, or is of a dialect that is not known here.
    """
    return _validator(json.dumps(schema, sort_keys=True))


@functools.lru_cache(maxsize=512)
def _validator(text: str) -> Validator:
    import jsonschema
    import referencing

    schema = json.loads(text)
    dialect = schema.get("$schema", "") if isinstance(schema, dict) else ""
    if not isinstance(schema, dict | bool) or not isinstance(dialect, str):
        raise ValueError("not a valid JSON Schema: it must be an object, its $schema a string")
    kind: Any = jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)
    if dialect and kind.META_SCHEMA.get("$schema", "").rstrip("#") != dialect.rstrip("#"):
        raise ValueError(f"the JSON Schema dialect {dialect!r} is not supported")
    try:
        kind.check_schema(schema)
    except jsonschema.SchemaError as problem:
        raise ValueError(f"not a valid JSON Schema: {problem.message}") from None
    checker = kind(schema, registry=referencing.Registry())

    def problems(value: Any, most: int = MAX_PROBLEMS) -> list[Problem]:
        try:
            found = sorted(checker.iter_errors(value), key=lambda problem: list(problem.path))
        except (referencing.exceptions.Unresolvable, RecursionError) as problem:
            return [_problem("", f"the schema cannot be followed: {problem}")]
        return [_said(problem) for problem in found[:most]]

    return problems


def _said(problem: Any) -> Problem:
    words = problem.message if len(problem.message) <= 200 else problem.message[:200] + "…"
    where = problem.json_path.removeprefix("$").removeprefix(".")
    return _problem(where, words, tuple(problem.absolute_path))


def _problem(where: str, words: str, path: tuple[str | int, ...] = ()) -> Problem:
    problem = Problem(f"{where}: {words}" if where else words)
    problem.path, problem.words = path, words
    return problem


def parameters(function: Callable[..., Any], hidden: type) -> Mapping[str, inspect.Parameter]:
    """The parameters a caller may give; the one annotated with `hidden` is ours to fill.

    Raises TypeError for *args and **kwargs, which no schema can describe.
    """
    found = {}
    for name, parameter in inspect.signature(function, eval_str=True).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise TypeError(f"{function.__name__} takes *{name}: a schema cannot describe that")
        if parameter.annotation is not hidden:
            found[name] = parameter
    return found


def model_of(function: Callable[..., Any], hidden: type) -> Any:
    """A pydantic model of a function's parameters: it knows their schema, and converts."""
    import pydantic

    fields = {
        name: (
            Any if parameter.annotation is parameter.empty else parameter.annotation,
            ... if parameter.default is parameter.empty else parameter.default,
        )
        for name, parameter in parameters(function, hidden).items()
    }
    make: Any = pydantic.create_model
    return make("Arguments", **fields)


def fits(model: Any, value: Any) -> bool:
    """True if a value needs no conversion to become this model; what it refuses may still fit."""
    import pydantic

    try:
        model.model_validate(value, strict=True)
    except pydantic.ValidationError:
        return False
    return True


def of_model(model: Any) -> dict[str, Any]:
    """The JSON Schema of a pydantic model, without the titles nobody wrote."""
    schema: dict[str, Any] = _without_titles(model.model_json_schema())
    return {"type": "object", "properties": {}} | schema


def of_type(annotation: Any) -> Any:
    """The JSON Schema of a Python type."""
    import pydantic

    return _without_titles(pydantic.TypeAdapter(annotation).json_schema())


def _without_titles(schema: Any, inside_properties: bool = False) -> Any:
    """Drop the titles that pydantic makes up from names; a property called title stays."""
    if isinstance(schema, list):
        return [_without_titles(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _without_titles(value, key in ("properties", "$defs") and not inside_properties)
        for key, value in schema.items()
        if inside_properties or key != "title" or not isinstance(value, str)
    }


def defaults(schema: Any) -> dict[str, Any]:
    """The values that a flat object schema proposes: what a form shows before anyone types."""
    properties = schema.get("properties", {}) if isinstance(schema, dict) else {}
    return {
        name: field["default"]
        for name, field in properties.items()
        if isinstance(field, dict) and "default" in field
    }
