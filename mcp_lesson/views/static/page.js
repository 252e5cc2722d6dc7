// What every live view uses: elements, icons, small timers, keys that stay in it.
//
// The files of this folder are joined into one module in the order that `widget.py` names; none of
// them is loaded from anywhere. Text that came from a message is put on the page as text, never as
// markup; the SVG of a chunk was escaped in Python.

const SITE = "https://modelcontextprotocol.io";

const ICONS = {
  first: ["First row", "M5 4v8M12 4l-5 4 5 4z"],
  back: ["One row back", "M10 4l-5 4 5 4z"],
  play: ["Play", "M5 3l8 5-8 5z"],
  pause: ["Pause", "M5 4v8M11 4v8"],
  next: ["One row on", "M6 4l5 4-5 4z"],
  last: ["Last row", "M11 4v8M4 4l5 4-5 4z"],
};

let views = 0;

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function vector(tag, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function icon(name) {
  const drawn = vector("svg", { viewBox: "0 0 16 16" });
  drawn.append(vector("path", { d: ICONS[name][1] }));
  return element("span", { class: "icon", "aria-hidden": "true" }, drawn);
}

function button(name, act) {
  const [title] = ICONS[name];
  const made = element("button", { type: "button", title, "aria-label": title }, icon(name));
  made.addEventListener("click", act);
  return made;
}

function clamp(value, least, most) {
  return Math.max(least, Math.min(most, value));
}

// "Server › Tools › Calling tools", from a clause.
function crumbs(clause) {
  const [path, anchor = ""] = clause.replace("/specification/", "").split("#");
  const parts = [...path.split("/").slice(1), anchor].filter(Boolean);
  const words = parts.map((part) => part.replaceAll("-", " "));
  return words.map((word) => word[0].toUpperCase() + word.slice(1)).join(" › ");
}

// Plain keys stay in a view that has the focus: in a notebook, "b" on a button would insert a cell. Some
// notebooks ask for their keys on the way down, before the view sees them: they spare an element with this
// attribute, and ask an ancestor that has it too late. Others ask on the way up: there the key ends at the
// root. Keys with Control or Command stay the notebook's, so that it can be saved from anywhere.
function keepKeys(root) {
  const plain = (event) => !event.ctrlKey && !event.metaKey;
  const down = (event) => {
    if (root.contains(event.target)) event.target.toggleAttribute("data-lm-suppress-shortcuts", plain(event));
  };
  const up = (event) => plain(event) && event.stopPropagation();
  window.addEventListener("keydown", down, true);
  root.addEventListener("keydown", up);
  return () => window.removeEventListener("keydown", down, true);
}

// Calls that are put off: each name waits for one call at a time, and all end with `clear`.
class Timers {
  constructor() {
    this.waiting = new Map();
  }

  after(name, milliseconds, act) {
    clearTimeout(this.waiting.get(name));
    this.waiting.set(name, setTimeout(act, milliseconds));
  }

  // Once a frame at most, however often it is asked for.
  frame(name, act) {
    if (this.waiting.has(name)) return;
    const run = () => {
      this.waiting.delete(name);
      act();
    };
    this.waiting.set(name, setTimeout(() => requestAnimationFrame(run), 0));
  }

  clear() {
    for (const timer of this.waiting.values()) clearTimeout(timer);
  }
}
