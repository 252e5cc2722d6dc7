// Which capability unlocks what, once client and server have agreed.

class Unlocks extends Page {
  build() {
    this.root.setAttribute("aria-label", "What is unlocked");
    this.list = element("ul", { class: "unlocks", role: "list" });
    this.root.append(this.list);
  }

  show() {
    this.list.replaceChildren(...this.data.rows.map((row) => this.line(row)));
    this.root.hidden = !this.data.rows.length;
  }

  line({ name, side, open, words }) {
    const said = element("span", { class: "side" }, `${side} ${open ? "declared it" : "did not"}`);
    return element(
      "li",
      { class: open ? "opened" : "" },
      element("span", { class: "mark", "aria-hidden": "true" }, open ? "✓" : "–"),
      element("code", {}, name),
      said,
      element("span", { class: "opens" }, words),
    );
  }
}

export default {
  render({ model, el }) {
    const page = new Unlocks(model, el, "unlocked");
    return () => page.end();
  },
};
