// The settings of a handshake: what both sides know and can do, and what came of it.
//
// Every change is sent to Python, where a client and a server greet each other with these settings.

const PATIENCE = 4000; // milliseconds before it says that nobody answers
const SIDES = { client: "Client", server: "Server" };
const PRESETS = { legacy: "Legacy", modern: "Modern", both: "Both" };

class Explorer extends Page {
  build() {
    this.root.setAttribute("aria-label", "Handshake explorer");
    this.boxes = [];
    this.mark = element("span", { class: "mark", "aria-hidden": "true" });
    this.words = element("span");
    this.outcome = element("p", { class: "outcome", role: "status", "aria-live": "polite" }, this.mark, this.words);
    const sides = Object.keys(SIDES).map((side) => this.buildSide(side));
    this.root.append(element("div", { class: "sides" }, ...sides), this.outcome);
  }

  buildSide(side) {
    const dates = this.data.revisions.map((date) => this.box(side, date));
    const all = Object.keys(PRESETS).map((name) =>
      worded(PRESETS[name], () => this.choose({ [side]: this.data.presets[name] })),
    );
    const can = this.data.can[side].map((name) => this.box(`${side}_can`, name));
    return element(
      "fieldset",
      {},
      element("legend", {}, SIDES[side]),
      element("div", { class: "label" }, "knows ", element("span", { class: "presets" }, ...all)),
      element("div", { class: "choices" }, ...dates),
      element("div", { class: "label" }, "can"),
      element("div", { class: "choices" }, ...can),
    );
  }

  box(list, name) {
    const input = element("input", { type: "checkbox" });
    input.addEventListener("change", () => this.toggle(list, name, input.checked));
    this.boxes.push({ list, name, input });
    return element("label", {}, input, " ", element("code", {}, name));
  }

  toggle(list, name, on) {
    const rest = this.state[list].filter((one) => one !== name);
    this.choose({ [list]: on ? [...rest, name] : rest });
  }

  choose(parts) {
    const asked = (this.state.asked || 0) + 1;
    this.change({ ...parts, asked });
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => {
      if (this.data.answers >= asked) return;
      this.words.textContent = "Nobody answers: run the cell again to try other settings.";
      this.mark.textContent = "…";
    }, PATIENCE);
  }

  show() {
    for (const { list, name, input } of this.boxes) input.checked = this.state[list].includes(name);
    this.mark.textContent = this.data.agreed ? "✓" : "✕";
    this.words.textContent = this.data.words;
    this.outcome.classList.toggle("agreed", this.data.agreed);
  }

  end() {
    clearTimeout(this.waiting);
    super.end();
  }
}

export default {
  render({ model, el }) {
    const page = new Explorer(model, el, "explorer");
    return () => page.end();
  },
};
