"""The house stands: imports go down only, the lower floors stay pure and small, the door is light.

A room is a module or folder of `mcp_lesson`; the table gives each its floor. A new room needs a
row, and that is the moment to think about where it belongs.
"""

import ast
import io
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

import mcp_lesson

HOUSE = Path(mcp_lesson.__file__).parent

ROOMS = {
    0: "jsonrpc revisions fields lifecycle trace limits",
    1: "peer client server schema rules connection context content answers negotiation operations "
    "results modern workers answering",
    2: "transports",
    3: "connect doors host policy model security",
    4: "views",
    5: "school",
    6: "cli",
}
FLOOR_OF = {room: floor for floor, rooms in ROOMS.items() for room in rooms.split()}
MODULES = sorted(path for path in HOUSE.rglob("*.py") if path != HOUSE / "__init__.py")

# What a floor must not import, beside what the floors above it hold. Floor 0 is synchronous and
# does no I/O but to keep a trace in a file; floor 1 may use asyncio, but talks through envelopes.
IO = "socket socketserver ssl select selectors subprocess multiprocessing signal http ftplib"
FORBIDDEN = {
    0: f"{IO} asyncio threading concurrent urllib.request",
    1: f"{IO} urllib.request os pathlib shutil tempfile glob fileinput sqlite3",
}

LINES_OF_A_MODULE = 300
STATEMENTS = {
    "machinery": 3100,  # floors 0 to 2: what makes, checks, carries and answers messages
    "knowledge": 1300,  # `fields` and `rules`: what reads the tables of the specification
}
"""How large the lower floors may be, in statements: how a formatter breaks them is no matter."""
KNOWLEDGE = {"fields", "rules"}

HEAVY = "jsonschema pydantic httpx2 starlette IPython ipywidgets matplotlib mcp typer rich psutil"


def name_of(path: Path) -> str:
    return path.relative_to(HOUSE).as_posix()


def room_of(path: Path) -> str:
    return path.relative_to(HOUSE).parts[0].removesuffix(".py")


def package_of(path: Path) -> list[str]:
    """Return the package that a module's relative imports start from, part by part."""
    return ["mcp_lesson", *path.relative_to(HOUSE).parent.parts]


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Yield each import of a module, wherever it stands, as line and full dotted name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            package = package_of(path)
            start = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*start, *filter(None, [node.module])])
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}"


def room_behind(name: str) -> str | None:
    """Return the room that a dotted name leads to, None if it leads out of the house."""
    parts = name.split(".")
    if parts[0] != "mcp_lesson" or len(parts) == 1:
        return None
    if parts[1] in mcp_lesson._HOMES:
        return mcp_lesson._HOMES[parts[1]].split(".")[1]
    return None if parts[1] in vars(mcp_lesson) and parts[1] not in FLOOR_OF else parts[1]


def falls_under(name: str, modules: str) -> bool:
    return any(f"{name}.".startswith(f"{module}.") for module in modules.split())


def test_the_house_is_there() -> None:
    assert len(MODULES) > 10
    assert any("mcp_lesson.jsonrpc" in name for _, name in imported(HOUSE / "trace.py"))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_go_down_only(path: Path) -> None:
    assert room_of(path) in FLOOR_OF, f"give the room {room_of(path)!r} a floor in the table"
    floor = FLOOR_OF[room_of(path)]
    upward = [
        f"line {line}: {name}"
        for line, name in imported(path)
        if (room := room_behind(name)) is not None and FLOOR_OF.get(room, 99) > floor
    ]
    assert not upward, f"{name_of(path)} is on floor {floor} and imports from above: {upward}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_the_lower_floors_stay_pure(path: Path) -> None:
    floor = FLOOR_OF.get(room_of(path), 99)
    found = [f"line {n}: {name}" for n, name in imported(path) if breaks_rule(floor, name)]
    assert not found, f"{name_of(path)} is on floor {floor}: {found}"
    assert floor != 1 or not opens_files(path), f"{name_of(path)} opens a file"


def breaks_rule(floor: int, name: str) -> bool:
    foreign = name.partition(".")[0] not in {*sys.stdlib_module_names, "mcp_lesson"}
    return (floor == 0 and foreign) or falls_under(name, FORBIDDEN.get(floor, ""))


def opens_files(path: Path) -> bool:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(isinstance(called, ast.Name) and called.id == "open" for called in calls)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_the_sdk_is_never_imported(path: Path) -> None:
    assert not [name for _, name in imported(path) if falls_under(name, "mcp mcp_types")]


def test_the_rules_do_see_a_breach() -> None:
    assert breaks_rule(0, "pydantic.BaseModel")
    assert breaks_rule(0, "asyncio")
    assert breaks_rule(1, "subprocess.Popen")
    assert not breaks_rule(1, "urllib.parse.quote")
    assert room_behind("mcp_lesson.connect") == "doors"
    assert room_behind("mcp_lesson.school.notebooks") == "school"
    assert room_behind("json.loads") is None


# --- size ---------------------------------------------------------------------------------------


def lines_of_code(source: str) -> int:
    """Count the lines that are neither blank, nor comment, nor part of a docstring."""
    silent = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    silent |= {tokenize.ENCODING, tokenize.ENDMARKER}
    counted: set[int] = set()
    for token in tokenize.tokenize(io.BytesIO(source.encode()).readline):
        if token.type not in silent:
            counted.update(range(token.start[0], token.end[0] + 1))
    blank = {n for n, line in enumerate(source.splitlines(), 1) if not line.strip()}
    return len(counted - docstring_lines(source) - blank)


def docstring_lines(source: str) -> set[int]:
    lines: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                lines.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return lines


def test_lines_are_counted_as_promised() -> None:
    source = '''"""A docstring
of two lines."""

# a comment
x = """text

that is data"""  # the blank line in it is not counted


def f():
    """Say."""
    return (
        x  # why
    )
'''
    assert lines_of_code(source) == 6


def statements(source: str) -> int:
    """Count statements; a docstring is none."""
    tree = ast.parse(source)
    found = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    texts = [
        node
        for node in found
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ]
    return len(found) - len(texts)


def test_statements_are_counted_whatever_their_lines() -> None:
    assert statements('"""Text."""\nx = (\n    1,\n)\nif x:\n    """Text."""\n    f(x)\n') == 3


def test_the_lower_floors_are_small() -> None:
    sizes = dict.fromkeys(STATEMENTS, 0)
    for path in MODULES:
        if FLOOR_OF.get(room_of(path), 0) <= 2:
            kind = "knowledge" if room_of(path) in KNOWLEDGE else "machinery"
            sizes[kind] += statements(path.read_text(encoding="utf-8"))
    print(sizes)
    assert all(sizes[kind] <= STATEMENTS[kind] for kind in sizes), sizes


def test_a_module_is_read_in_one_sitting() -> None:
    sizes = {path: lines_of_code(path.read_text(encoding="utf-8")) for path in MODULES}
    large = {name_of(path): size for path, size in sizes.items() if size > LINES_OF_A_MODULE}
    assert not large, f"more than {LINES_OF_A_MODULE} lines of code: {large}"


# --- lightness ----------------------------------------------------------------------------------


def test_the_first_import_loads_nothing_heavy() -> None:
    code = "import sys; from mcp_lesson import Trace, connect; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "mcp_lesson" in loaded
    assert not loaded & set(HEAVY.split())
