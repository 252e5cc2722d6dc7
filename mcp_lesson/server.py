"""What a server offers: a registry of tools, resources and prompts, and nothing that changes.

`Server` holds no connection and no caller. One object serves any number of clients on any number of
wires, in both eras at once: what belongs to one conversation lives in `connection.Connection`.

    server = Server("office")

    @server.tool
    def add(a: int, b: int) -> int:
        "Add two whole numbers."
        return a + b
"""

import functools
import inspect
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import quote, unquote

from . import modern, schema
from .context import Context
from .jsonrpc import Message
from .modern import mirrored
from .revisions import LATEST_LEGACY

Handler = TypeVar("Handler", bound=Callable[..., Any])

SINCE = {
    "annotations": "2025-03-26",
    "title": "2025-06-18",
    "outputSchema": "2025-06-18",
    "icons": "2025-11-25",
}
"""Members of a definition that older revisions do not have, and so are not sent there."""


@dataclass(frozen=True)
class Offer:
    """One thing a server offers: how it is described, and the function behind it.

    `definition` is the description as it stands in a list, for the newest revision.
    """

    definition: Message
    function: Callable[..., Any]
    wants_context: str | None = None

    def described(self, revision: str) -> Message:
        """The definition as this revision knows it."""
        gone = {key for key, since in SINCE.items() if revision < since}
        return {key: value for key, value in self.definition.items() if key not in gone}


@dataclass(frozen=True)
class Tool(Offer):
    """A tool: `model` converts arguments where the schema was made from a signature."""

    model: Any = None

    def described(self, revision: str) -> Message:
        """The definition as this revision knows it; only an object was typed output before 2026."""
        found = super().described(revision)
        if revision <= LATEST_LEGACY and found.get("outputSchema", {}).get("type") != "object":
            found.pop("outputSchema", None)
        return found

    @functools.cached_property
    def check(self) -> schema.Validator:
        """Lists what is wrong with a call's arguments."""
        return schema.validator(self.definition["inputSchema"])

    def problems(self, arguments: Message) -> list[schema.Problem]:
        """What is wrong with a call's arguments; where they fit the signature, no need to ask."""
        fits = self.model is not None and schema.fits(self.model, arguments)
        return [] if fits else self.check(arguments)

    @functools.cached_property
    def is_mirrored(self) -> bool:
        """True if arguments are repeated in headers (2026-07-28)."""
        return bool(mirrored(self.definition["inputSchema"]))

    @functools.cached_property
    def check_output(self) -> schema.Validator | None:
        """Lists what is wrong with a structured result; None where none was promised."""
        promised = self.definition.get("outputSchema")
        return schema.validator(promised) if promised else None


@dataclass(frozen=True)
class Template(Offer):
    """A resource whose URI has holes: `pattern` finds what fills them."""

    pattern: re.Pattern[str] = field(default=re.compile(""))

    def match(self, uri: str) -> dict[str, str] | None:
        """What fills the holes of this URI, percent-decoded, or None if it is none of ours."""
        found = self.pattern.fullmatch(uri)
        return {k: unquote(v) for k, v in found.groupdict().items()} if found else None


class Server:
    """A registry of what is offered, and the two things every answer may need: name and secret.

    ttl_ms, cache_scope  how long and by whom lists may be kept (2026-07-28)
    page_size            entries of one page of a list; None: all at once
    secret               signs requestState; share it between workers that serve one client
    """

    def __init__(
        self,
        name: str,
        version: str = "1.0.0",
        *,
        title: str | None = None,
        instructions: str | None = None,
        ttl_ms: int = 0,
        cache_scope: str = "private",
        page_size: int | None = None,
        logging: bool = False,
        secret: bytes | None = None,
    ) -> None:
        self.info = {"name": name, "version": version} | ({"title": title} if title else {})
        self.instructions = instructions
        self.ttl_ms, self.cache_scope, self.page_size = ttl_ms, cache_scope, page_size
        self.logging, self.secret = logging, secret or secrets.token_bytes(32)
        self.tools: dict[str, Tool] = {}
        self.resources: dict[str, Offer] = {}
        self.templates: dict[str, Template] = {}
        self.prompts: dict[str, Offer] = {}
        self.completers: dict[tuple[str, str], Offer] = {}
        self.watchers: set[Callable[[str, str | None], None]] = set()

    # -- offering ------------------------------------------------------------------------------

    def tool(self, function: Handler | None = None, /, **more: Any) -> Any:
        """Offer a function as a tool. Its signature becomes the schema, its docstring the words.

        `more` is any member of a Tool: name, title, description, inputSchema, outputSchema,
        annotations, icons, _meta. Raises ValueError for a name already taken or a wrong schema.
        """
        if function is None:
            return functools.partial(self.tool, **more)
        model = None if "inputSchema" in more else schema.model_of(function, Context)
        if model is not None:
            more["inputSchema"] = schema.of_model(model)
        definition = _describe(function, more)
        if model is None:  # one made from a signature is right, and need not load the library
            schema.validator(definition["inputSchema"])
        if definition["inputSchema"].get("type") != "object":
            raise ValueError(f'{definition["name"]}: an inputSchema has "type": "object"')
        modern.mirrored(definition["inputSchema"])
        _add(self.tools, definition["name"], Tool(definition, function, _context(function), model))
        return function

    def resource(self, uri: str, **more: Any) -> Callable[[Handler], Handler]:
        """Offer what a function returns as a resource; `{holes}` in the URI make it a template.

        `more` is any member of a Resource: name, title, description, mimeType, size, annotations.
        """

        def offer(function: Handler) -> Handler:
            if "{" in uri:
                definition = {"uriTemplate": uri} | _describe(function, more)
                made = Template(definition, function, _context(function), _pattern(uri))
                _add(self.templates, uri, made)
            else:
                definition = {"uri": uri} | _describe(function, more)
                _add(self.resources, uri, Offer(definition, function, _context(function)))
            return function

        return offer

    def prompt(self, function: Handler | None = None, /, **more: Any) -> Any:
        """Offer a function as a prompt: it takes strings and returns text or messages."""
        if function is None:
            return functools.partial(self.prompt, **more)
        if "arguments" not in more:
            more["arguments"] = _prompt_arguments(function)
        definition = _describe(function, more)
        offer = Offer(definition, function, _context(function))
        _add(self.prompts, definition["name"], offer)
        return function

    def completion(self, of: str, argument: str) -> Callable[[Handler], Handler]:
        """Offer completions for an argument of a prompt (by name) or of a template (by URI).

        The function takes what was typed so far. With a `Context` it can also see, in
        `ctx.params["context"]["arguments"]`, what is filled in already (since 2025-06-18).
        """

        def offer(function: Handler) -> Handler:
            _add(self.completers, (of, argument), Offer({}, function, _context(function)))
            return function

        return offer

    # -- telling -------------------------------------------------------------------------------

    def capabilities(self) -> Message:
        """What this server promises, read off what it offers."""
        listed = {"listChanged": True}
        found = {
            "tools": listed if self.tools else None,
            "resources": listed | {"subscribe": True} if self.resources or self.templates else None,
            "prompts": listed if self.prompts else None,
            "completions": {} if self.completers else None,
            "logging": {} if self.logging else None,
        }
        return {name: value for name, value in found.items() if value is not None}

    def changed(self, what: str) -> None:
        """Tell everyone connected that a list changed: "tools", "resources" or "prompts".

        Raises ValueError for any other word.
        """
        if what not in ("tools", "resources", "prompts"):
            raise ValueError(f"{what!r} is no list; it must be tools, resources or prompts")
        for watcher in tuple(self.watchers):
            watcher(f"notifications/{what}/list_changed", None)

    def updated(self, uri: str) -> None:
        """Tell those who subscribed that a resource has new content."""
        for watcher in tuple(self.watchers):
            watcher("notifications/resources/updated", uri)


def _describe(function: Callable[..., Any], more: Mapping[str, Any]) -> Message:
    words = inspect.getdoc(function)
    head = {"name": more.get("name") or function.__name__} | (
        {"description": words} if words else {}
    )
    return head | dict(more)


def _context(function: Callable[..., Any]) -> str | None:
    """The name of the parameter that wants the Context, if one does."""
    parameters = inspect.signature(function, eval_str=True).parameters.values()
    return next((p.name for p in parameters if p.annotation is Context), None)


def _prompt_arguments(function: Callable[..., Any]) -> list[Message]:
    return [
        {"name": name, "required": parameter.default is parameter.empty}
        for name, parameter in schema.parameters(function, Context).items()
    ]


def _pattern(template: str) -> re.Pattern[str]:
    """The URIs a template stands for: {name} is one part of a path, {+name} may hold slashes."""
    pieces = re.split(r"\{(\+?)(\w+)\}", template)
    text = re.escape(pieces[0])
    for plus, name, rest in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        text += f"(?P<{name}>{'.+' if plus else '[^/?#]+'})" + re.escape(rest)
    if "{" in "".join(pieces[::3]):
        raise ValueError(f"{template!r}: only {{name}} and {{+name}} are understood")
    return re.compile(text)


def fill(template: str, values: Mapping[str, str]) -> str:
    """The URI of a template with its holes filled. Raises KeyError for a value that is missing."""

    def value(hole: re.Match[str]) -> str:
        return quote(values[hole[2]], safe="/:?#[]@!$&'()*+,;=" if hole[1] else "")

    return re.sub(r"\{(\+?)(\w+)\}", value, template)


def _add(shelf: dict[Any, Any], key: Any, offer: Any) -> None:
    if key in shelf:
        raise ValueError(f"{key!r} is offered twice")
    shelf[key] = offer
