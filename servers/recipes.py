# snippet: recipes; mcp_lesson
"""Prompts: recipes that a user picks, filled in by the server, cooked by any model.

The new idea of this rung: a prompt is chosen by a person, not by the model. Its arguments are
strings, its messages have the roles user and assistant and no other, and while somebody types an
argument the server may complete it.
"""

from mcp_lesson import McpError, Server, run
from mcp_lesson.content import embedded, text
from mcp_lesson.jsonrpc import INVALID_PARAMS

server = Server("recipes", "1.0.0", instructions="House recipes for reading and reviewing.")

DOCUMENTS = {
    "handbook": "Leave is booked by noon. Orders above 500 need a second signature.",
    "protocol-notes": "One message is one line. stdout is the protocol, stderr is for people.",
    "release-plan": "Freeze on Thursday, ship on Monday, celebrate on Tuesday.",
}
LANGUAGES = ("python", "typescript", "java", "go", "rust")


def says(role: str, *blocks: dict) -> list[dict]:
    """One message a block: a message of this revision holds one block."""
    return [{"role": role, "content": block} for block in blocks]


@server.prompt(name="knowledge-qa", title="Ask the documents")
def knowledge_qa(question: str, document: str = "handbook") -> list[dict]:
    """Answer a question from one document, and from nothing else."""
    rule = "Answer from the document below only. If it does not say, say that it does not."
    return says("user", text(f"{rule}\n\nQuestion: {question}"), page(document))


@server.prompt(name="doc-summary", title="Summarise a document")
def doc_summary(document: str, sentences: str = "3") -> list[dict]:
    """Summarise a document in a few sentences."""
    return says("user", text(f"Summarise in {sentences} sentences."), page(document))


@server.prompt(name="code-review", title="Review code")
def code_review(code: str, language: str = "python") -> list[dict]:
    """Review a piece of code; the answer is begun, so that every review has the same form."""
    asked = says("user", text(f"Review this {language} code:\n\n{code}"))
    return asked + says("assistant", text("What is right, what is wrong, and what I would change:"))


@server.completion("knowledge-qa", "document")
@server.completion("doc-summary", "document")
def documents(typed: str) -> list[str]:
    """The documents whose name begins like this."""
    return [name for name in DOCUMENTS if name.startswith(typed)]


@server.completion("code-review", "language")
def languages(typed: str) -> list[str]:
    """The languages that begin like this."""
    return [name for name in LANGUAGES if name.startswith(typed.lower())]


def page(document: str) -> dict:
    """A document as a resource inside the message, so that the model sees where it is from."""
    if document not in DOCUMENTS:
        known = ", ".join(DOCUMENTS)
        raise McpError(INVALID_PARAMS, f"there is no document {document!r}; there are {known}")
    return embedded(f"docs://demo/{document}", DOCUMENTS[document], "text/plain")


if __name__ == "__main__":
    run(server)
