"""Blocks: what handlers return, as the protocol says it; and what a client hands out."""

import base64

import pytest

from mcp_lesson import content
from mcp_lesson.results import Listing, Result

NEWEST = "2026-07-28"


def test_the_blocks() -> None:
    assert content.text("a") == {"type": "text", "text": "a"}
    assert content.image(b"\x89") == {"type": "image", "data": "iQ==", "mimeType": "image/png"}
    assert content.audio(b"\x89", "audio/ogg")["mimeType"] == "audio/ogg"
    assert content.embedded("a://b", "x", "text/plain") == {
        "type": "resource",
        "resource": {"uri": "a://b", "mimeType": "text/plain", "text": "x"},
    }
    assert content.link("a://b", "b", size=3) == {
        "type": "resource_link",
        "uri": "a://b",
        "name": "b",
        "size": 3,
    }
    raw = bytes(range(256))
    assert base64.b64decode(content.contents("a://b", raw)["blob"]) == raw
    assert "mimeType" not in content.contents("a://b", raw)


def test_a_list_is_blocks_only_if_every_part_is_one() -> None:
    blocks = [content.text("a"), content.text("b")]
    assert content.blocks(blocks, NEWEST) == blocks
    mixed = content.blocks([content.text("a"), 5], NEWEST)
    assert len(mixed) == 1
    assert mixed[0]["type"] == "text"


@pytest.mark.parametrize(
    ("block", "revision", "kind"),
    [
        (content.audio(b"x"), "2024-11-05", "text"),
        (content.audio(b"x"), "2025-03-26", "audio"),
        (content.link("a://b", "b"), "2025-03-26", "text"),
        (content.link("a://b", "b"), "2025-06-18", "resource_link"),
    ],
)
def test_a_block_that_a_revision_lacks_is_mentioned(block: dict, revision: str, kind: str) -> None:
    (found,) = content.blocks(block, revision)
    assert found["type"] == kind
    if kind == "text":
        assert block["type"] in found["text"]


# -- results ---------------------------------------------------------------------------------------


def test_a_result_reads_as_its_text() -> None:
    result = Result(content=[content.text("one"), content.image(b""), content.text("two")])
    assert (result.text, repr(result)) == ("one\ntwo", "one\ntwo")
    assert not result.is_error
    assert result.structured is None
    failed = Result(content=[content.text("no")], isError=True, structuredContent={"a": 1})
    assert repr(failed) == "error: no"
    assert failed.is_error
    assert failed.structured == {"a": 1}


def test_text_is_found_wherever_a_result_keeps_it() -> None:
    assert Result(contents=[{"uri": "a", "text": "x"}, {"uri": "b", "blob": ""}]).text == "x"
    assert Result(messages=[{"role": "user", "content": content.text("hi")}]).text == "hi"
    assert repr(Result(completion={"values": []})) == '{"completion":{"values":[]}}'


@pytest.mark.parametrize("nonsense", [None, 5, "x", {}, [None], [[]], [{"text": 5}], [{}]])
@pytest.mark.parametrize("member", ["content", "contents", "messages"])
def test_a_result_of_nonsense_can_still_be_looked_at(member: str, nonsense: object) -> None:
    result = Result({member: nonsense, "isError": "yes"})
    assert isinstance(result.text, str)
    assert repr(result)
    assert not result.is_error


def test_a_listing_prints_a_line_an_entry() -> None:
    listing = Listing(
        [
            {"name": "add", "description": "Add numbers.\nMore."},
            {"uri": "a://b", "name": "b"},
            {"uriTemplate": "a://{x}", "name": "t", "title": "Template"},
            {"name": "odd", "description": 5},
        ]
    )
    assert repr(listing) == "add  Add numbers.\na://b\na://{x}  Template\nodd  5"
    assert listing.names == ["add", "b", "t", "odd"]
    assert repr(Listing()) == "(nothing)"
