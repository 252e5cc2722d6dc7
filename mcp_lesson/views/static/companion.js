// What the companions of the diagram share, beside what page.js has: marked-up text, buttons with words,
// and a page that follows its model.

// HTML that Python escaped and marked up itself.
function marked(tag, attributes, html) {
  const made = element(tag, attributes);
  made.innerHTML = html;
  return made;
}

function worded(words, act, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, words);
  made.addEventListener("click", act);
  return made;
}

// One view of one model. A child builds its elements once, in `build`, and brings them up to date
// in `show`, which is also called when another view of the same model, or Python, changed something.
class Page {
  constructor(model, el, of) {
    this.model = model;
    this.data = model.get("data");
    this.name = `mcp-lesson-${++views}`;
    this.root = element("section", { class: `mcp-lesson ${of}`, role: "group" });
    this.status = element("div", { class: "unseen", role: "status", "aria-live": "polite" });
    this.build();
    this.root.append(this.status);
    el.append(element("div", { class: "mcp-lesson-frame" }, this.root));
    this.changed = () => {
      this.data = model.get("data");
      this.show();
    };
    model.on("change:state", this.changed);
    model.on("change:data", this.changed);
    this.giveKeys = keepKeys(this.root);
    this.show();
  }

  get state() {
    return this.model.get("state");
  }

  change(parts) {
    this.model.set("state", { ...this.state, ...parts });
    this.model.save_changes();
  }

  say(words) {
    this.status.textContent = words;
  }

  end() {
    this.giveKeys();
    this.model.off("change:state", this.changed);
    this.model.off("change:data", this.changed);
  }
}
