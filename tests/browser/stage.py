"""The live view on a bare page: its browser's side, a stand-in for the model, Python behind it.

JupyterLab takes seconds to start and draws much beside. For what is measured (time, places,
colours, accessibility) the view stands alone: the same module, state and Python object.
"""

import json
from typing import Any

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A view</title>
<style>%(css)s</style>
<body data-jp-theme-light="%(light)s" style="margin:12px;background:%(ground)s;%(jupyter)s">
<main id="root"></main>
<script type="module">
class Model {
  constructor(state) { this.state = state; this.heard = {}; this.changed = {}; }
  get(name) { return this.state[name]; }
  set(name, value) { this.changed[name] = value; this.push(name, value); }
  save_changes() {
    const changed = this.changed;
    this.changed = {};
    for (const name in changed) window.toPython(name, JSON.stringify(changed[name]));
  }
  on(name, act) { (this.heard[name] ||= []).push(act); }
  off(name, act) { this.heard[name] = (this.heard[name] || []).filter((one) => one !== act); }
  send(message) { window.toPython("message", JSON.stringify(message)); }
  push(name, value) {
    const same = JSON.stringify(this.state[name]) === JSON.stringify(value);
    this.state[name] = value;
    if (same) return;
    for (const act of this.heard[`change:${name}`] || []) act();
  }
}
const source = new Blob([%(esm)s], { type: "text/javascript" });
const view = (await import(URL.createObjectURL(source))).default;
window.model = new Model(JSON.parse(%(state)s));
const began = performance.now();
window.end = view.render({ model: window.model, el: document.getElementById("root") });
const drawn = () => (window.first = performance.now() - began);
requestAnimationFrame(() => requestAnimationFrame(drawn));
</script></body></html>"""

LIGHT = "--jp-layout-color1:#fff;--jp-ui-font-color0:rgba(0,0,0,1)"
DARK = "--jp-layout-color1:#212121;--jp-ui-font-color0:rgba(255,255,255,1)"
TRAITS = ("head", "window", "step", "only", "narrow", "follow", "want", "ask", "told")


class Stage:
    """A page with one live view; `kernel` False leaves everything it asks for unanswered."""

    def __init__(self, page: Any, view: Any, *, kernel: bool = True) -> None:
        self.page, self.view, self._kernel = page, view, kernel

    async def open(self, *, dark: bool = False, width: int = 1240, height: int = 900) -> None:
        """Show the view, and wait for its first picture."""
        await self.page.set_viewport_size({"width": width, "height": height})
        await self.page.expose_function("toPython", self._to_python)
        state = json.dumps({name: getattr(self.view, name) for name in TRAITS})
        parts = {
            "css": self.view._css,
            "esm": _in_script(str(self.view._esm)),
            "state": _in_script(state),
            "light": json.dumps(not dark),
            "ground": "#111" if dark else "#fff",
            "jupyter": DARK if dark else LIGHT,
        }
        await self.page.set_content(PAGE % parts)
        await self.page.wait_for_function("window.first !== undefined")

    async def _to_python(self, name: str, value: str) -> None:
        before = {trait: getattr(self.view, trait) for trait in ("head", "window", "told")}
        if not self._kernel:
            return
        setattr(self.view, name, json.loads(value))
        for trait, old in before.items():
            new = getattr(self.view, trait)
            if new is not old:
                await self.page.evaluate("([n, v]) => model.push(n, v)", [trait, new])

    async def key(self, name: str, times: int = 1) -> None:
        """Press a key in the pane of the picture."""
        await self.page.focus(".scroll")
        for _ in range(times):
            await self.page.keyboard.press(name)

    async def text(self, selector: str) -> str:
        return str(await self.page.inner_text(f".mcp-lesson {selector}"))


def _in_script(text: str) -> str:
    return json.dumps(text).replace("</", "<\\/")
