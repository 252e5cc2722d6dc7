// What the companions of the diagram share: elements, icons, telling Python, and a page that tidies up.

const ICONS = {
  first: ["First", "M5 4v8M12 4l-5 4 5 4z"],
  back: ["One back", "M10 4l-5 4 5 4z"],
  play: ["Play", "M5 3l8 5-8 5z"],
  pause: ["Pause", "M5 4v8M11 4v8"],
  next: ["One on", "M6 4l5 4-5 4z"],
  last: ["Last", "M11 4v8M4 4l5 4-5 4z"],
};

let pages = 0;

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// HTML that Python escaped and marked up itself.
function marked(tag, attributes, html) {
  const made = element(tag, attributes);
  made.innerHTML = html;
  return made;
}

function button(words, act, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, words);
  made.addEventListener("click", act);
  return made;
}

function showIcon(made, name) {
  if (made.dataset.shows === name) return;
  made.dataset.shows = name;
  made.title = ICONS[name][0];
  made.setAttribute("aria-label", ICONS[name][0]);
  const drawing = `<svg viewBox="0 0 16 16" width="16" height="16"><path d="${ICONS[name][1]}"/></svg>`;
  made.replaceChildren(marked("span", { class: "icon", "aria-hidden": "true" }, drawing));
}

function clamp(value, least, most) {
  return Math.max(least, Math.min(most, value));
}

// One view of one model. A child builds its elements once, in `build`, and brings them up to date
// in `show`, which is also called when another view of the same model, or Python, changed something.
class Page {
  constructor(model, el, of) {
    this.model = model;
    this.data = model.get("data");
    this.name = `mcp-lesson-page-${++pages}`;
    this.root = element("section", { class: `mcp-lesson ${of}`, role: "group", "data-lm-suppress-shortcuts": "true" });
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
    this.model.off("change:state", this.changed);
    this.model.off("change:data", this.changed);
  }
}
