// The inputs of a form, built from what Python read off a schema: see form_faces.py for their shape.
//
// A node stands for one field. It has its element, `get` and `set` for what is filled in (raw, as
// form_values.py has it), `mark` for what is wrong, and `lock`. Nothing is judged or converted here.

const NONE = -1;

class Fields {
  // `changed` is called after each touch; `entered`, if there is one, when Enter is pressed in a field.
  constructor(name, form, changed, entered) {
    this.name = name;
    this.changed = changed;
    this.entered = entered;
    this.count = 0;
    this.root = buildNode(this, form, []);
    this.element = this.root.element;
  }

  id() {
    return `${this.name}-${++this.count}`;
  }

  get raw() {
    return this.root.get();
  }

  // Takes over what another view of the same form was filled in with.
  fill(raw) {
    if (JSON.stringify(raw) !== JSON.stringify(this.raw)) this.root.set(raw);
  }

  // Shows what is wrong, each at its place; returns the words of the places that are no field here.
  mark(problems) {
    const left = { ...problems };
    this.root.mark(left);
    return Object.values(left);
  }

  lock(locked) {
    this.root.lock(locked);
  }

  // The first input that something is wrong with.
  firstBad() {
    return this.element.querySelector("[aria-invalid=true]");
  }
}

function buildNode(form, field, path) {
  const build = { object: objectNode, list: listNode, choice: choiceNode, choices: choicesNode };
  return (build[field.kind] || textNode)(form, field, path);
}

// -- what all fields have --------------------------------------------------------------------------

// A label, a place for the input, what the server says of it, what may be filled in, what is wrong.
function frame(form, field, path, group) {
  const id = form.id();
  const words = named(field, path);
  const head = group
    ? element("legend", { class: "head" }, ...words)
    : element("label", { class: "head", for: id }, ...words);
  const about = field.words ? [element("p", { class: "about-field", id: `${id}-about` }, field.words)] : [];
  const hint = field.hint ? [element("p", { class: "hint", id: `${id}-hint` }, field.hint)] : [];
  const bad = element("p", { class: "bad", id: `${id}-bad`, hidden: "" });
  const control = element("div", { class: "control" });
  const body = element("div", { class: "body" }, control, bad, ...about, ...hint);
  const made = element(group ? "fieldset" : "div", { class: `field ${field.kind}` }, head, body);
  const described = [bad, ...about, ...hint].map((one) => one.id).join(" ");
  return { id, made, control, body, bad, described, key: JSON.stringify(path) };
}

function named(field, path) {
  const place = path[path.length - 1];
  if (typeof place === "number") return [element("span", { class: "title" }, `${place + 1}`)];
  const title = element("span", { class: "title" }, field.label || field.name);
  const name = field.label !== field.name ? [" ", element("code", {}, field.name)] : [];
  const need = field.required ? [" ", element("span", { class: "need" }, "required")] : [];
  return [title, ...name, ...need];
}

function markIn(parts, inputs) {
  return (problems) => {
    const words = problems[parts.key];
    delete problems[parts.key];
    parts.bad.hidden = !words;
    parts.bad.textContent = words ? `✕ ${words}` : "";
    parts.made.classList.toggle("wrong-field", Boolean(words));
    for (const input of inputs()) {
      if (words) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    }
  };
}

function lockIn(inputs) {
  return (locked) => {
    for (const input of inputs()) input.disabled = locked;
  };
}

// -- text, numbers, JSON -----------------------------------------------------------------------------

function textNode(form, field, path) {
  const parts = frame(form, field, path, false);
  const tall = field.kind === "json" || field.long;
  const input = element(tall ? "textarea" : "input", {
    id: parts.id,
    "aria-describedby": parts.described,
    autocomplete: "off",
    spellcheck: "false",
    ...(tall ? { rows: field.kind === "json" ? 2 : 1 } : { type: field.hidden ? "password" : "text" }),
    ...(field.kind === "number" ? { inputmode: "decimal" } : {}),
    ...(field.required ? { "aria-required": "true" } : {}),
  });
  input.value = field.blank;
  input.addEventListener("input", () => form.changed());
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || field.kind === "json") return;
    if (!form.entered) return;
    event.preventDefault();
    form.entered();
  });
  parts.control.append(input);
  return {
    element: parts.made,
    get: () => input.value,
    set: (raw) => (input.value = typeof raw === "string" ? raw : ""),
    mark: markIn(parts, () => [input]),
    lock: lockIn(() => [input]),
  };
}

// -- one of several, any of several --------------------------------------------------------------------

function choiceNode(form, field, path) {
  return field.pills ? pillsNode(form, field, path) : selectNode(form, field, path);
}

function selectNode(form, field, path) {
  const parts = frame(form, field, path, false);
  const input = element("select", { id: parts.id, "aria-describedby": parts.described });
  input.append(element("option", { value: NONE }, field.required ? "choose…" : "left out"));
  field.labels.forEach((label, place) => input.append(element("option", { value: place }, label)));
  input.value = String(field.blank);
  input.addEventListener("change", () => form.changed());
  parts.control.append(input);
  return {
    element: parts.made,
    get: () => Number(input.value),
    set: (raw) => (input.value = String(raw)),
    mark: markIn(parts, () => [input]),
    lock: lockIn(() => [input]),
  };
}

function pillsNode(form, field, path) {
  const parts = frame(form, field, path, true);
  const labels = field.labels.map((label, place) => [place, label]);
  if (!field.required) labels.push([NONE, "left out"]);
  const inputs = labels.map(([place, label]) => {
    const input = pill(parts, "radio", label, place === NONE, () => form.changed());
    input.value = place;
    return input;
  });
  const set = (raw) => inputs.forEach((input) => (input.checked = Number(input.value) === raw));
  set(field.blank);
  parts.made.setAttribute("aria-describedby", parts.described);
  return {
    element: parts.made,
    get: () => Number(inputs.find((input) => input.checked)?.value ?? NONE),
    set,
    mark: markIn(parts, () => inputs),
    lock: lockIn(() => inputs),
  };
}

function choicesNode(form, field, path) {
  const parts = frame(form, field, path, true);
  const inputs = field.labels.map((label) => pill(parts, "checkbox", label, false, () => form.changed()));
  const set = (raw) => inputs.forEach((input, place) => (input.checked = Array.isArray(raw) && raw.includes(place)));
  set(field.blank);
  parts.made.setAttribute("aria-describedby", parts.described);
  return {
    element: parts.made,
    get: () => inputs.flatMap((input, place) => (input.checked ? [place] : [])),
    set,
    mark: markIn(parts, () => inputs),
    lock: lockIn(() => inputs),
  };
}

function pill(parts, type, label, faint, changed) {
  const input = element("input", { type, name: parts.id });
  input.addEventListener("change", changed);
  parts.control.append(element("label", { class: faint ? "pill faint" : "pill" }, input, element("span", {}, label)));
  return input;
}

// -- parts and items -----------------------------------------------------------------------------------

function objectNode(form, field, path) {
  const nodes = field.parts.map((part) => [part.name, buildNode(form, part, [...path, part.name])]);
  const whole = path.length === 0;
  const parts = whole ? null : frame(form, field, path, true);
  const bodies = nodes.map(([, node]) => node.element);
  const made = whole ? element("div", { class: "fields" }, ...bodies) : parts.made;
  if (!whole) parts.control.append(...bodies);
  return {
    element: made,
    get: () => Object.fromEntries(nodes.map(([name, node]) => [name, node.get()])),
    set: (raw) => nodes.forEach(([name, node]) => node.set(raw?.[name])),
    mark: (problems) => {
      if (!whole) markIn(parts, () => [])(problems);
      for (const [, node] of nodes) node.mark(problems);
    },
    lock: (locked) => nodes.forEach(([, node]) => node.lock(locked)),
  };
}

function listNode(form, field, path) {
  const parts = frame(form, field, path, true);
  const items = element("ol", { class: "items", role: "list" });
  const add = worded("+ Add an item", () => insert());
  let nodes = [];
  let locked = false;

  // Items are numbered by their place, so all are built anew when one goes.
  function set(raw) {
    const values = Array.isArray(raw) ? raw : [];
    nodes = values.map((value, place) => {
      const node = buildNode(form, field.item, [...path, place]);
      node.set(value);
      node.lock(locked);
      return node;
    });
    items.replaceChildren(...nodes.map((node, place) => item(node, place)));
  }

  function item(node, place) {
    const label = `Remove item ${place + 1}`;
    const remove = worded("−", () => drop(place), { class: "remove", "aria-label": label, title: label });
    remove.disabled = locked;
    return element("li", {}, node.element, remove);
  }

  function insert() {
    set([...nodes.map((node) => node.get()), field.item.blank]);
    form.changed();
    items.lastChild.querySelector("input, select, textarea, button")?.focus();
  }

  function drop(place) {
    set(nodes.map((node) => node.get()).filter((_, other) => other !== place));
    form.changed();
    (items.children[Math.min(place, nodes.length - 1)]?.querySelector(".remove") || add).focus();
  }

  set(field.blank);
  parts.control.append(items, add);
  const mark = markIn(parts, () => []);
  return {
    element: parts.made,
    get: () => nodes.map((node) => node.get()),
    set,
    mark: (problems) => {
      mark(problems);
      for (const node of nodes) node.mark(problems);
    },
    lock: (on) => {
      locked = on;
      add.disabled = on;
      for (const button of items.querySelectorAll(".remove")) button.disabled = on;
      for (const node of nodes) node.lock(on);
    },
  };
}

// -- a page with a form --------------------------------------------------------------------------------

const PATIENCE = 4000; // milliseconds before it says that nobody answers
const PAUSE = 250; // milliseconds of rest after which what was typed is sent

// What a tool's form and a question have in common: typing is sent after a pause, a press at once. What is
// sent is numbered, and what Python answers says which number it had seen: so no answer that is late undoes
// what was typed since.
class FormPage extends Page {
  get timers() {
    return (this.clock ||= new Timers());
  }

  buildForm(entered) {
    this.fields = new Fields(this.name, this.data.form, () => this.touched(), entered);
    return this.fields.element;
  }

  buildPreview() {
    this.previewed = element("pre", { class: "raw", tabindex: "0" });
    this.labelled = element("div", { class: "label" });
    this.preview = element("div", { class: "preview" }, this.labelled, this.previewed);
    return this.preview;
  }

  showPreview(text, words) {
    if (!this.preview) return;
    this.preview.hidden = !text;
    this.labelled.textContent = words;
    this.previewed.setAttribute("aria-label", words);
    this.previewed.textContent = text;
  }

  touched() {
    this.fresh = true;
    this.timers.after("typing", PAUSE, () => this.send({}));
  }

  press(press) {
    this.send({ press });
    const number = (this.waiting = this.sent);
    this.timers.after("patience", PATIENCE, () => this.data.n < number && this.unheard());
  }

  send(parts) {
    this.timers.after("typing", 0, () => {});
    this.fresh = false;
    this.sent = Math.max(this.sent || 0, this.data.n) + 1;
    this.model.send({ n: this.sent, raw: this.fields?.raw, ...parts });
  }

  // Brings the fields up to date; returns what is wrong with no field in particular.
  showForm(locked) {
    if (!this.fields) return [];
    if (!this.fresh && this.data.n >= (this.sent || 0)) this.fields.fill(this.data.raw);
    this.fields.lock(locked);
    const rest = this.fields.mark(this.data.problems);
    if (this.waiting && this.data.n >= this.waiting) {
      this.waiting = 0;
      this.fields.firstBad()?.focus();
    }
    return rest;
  }

  end() {
    this.timers.clear();
    super.end();
  }
}
