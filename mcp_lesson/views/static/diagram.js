// The live sequence diagram: its parts tied together, and tied to the model that Python keeps.

const PREFETCH = 40; // rows before the edge of what is here at which more is asked for
const PAGE = 10; // rows that Page Up and Page Down move
const NARROW = 600; // pixels of width below which the lifelines stand closer
const BESIDE = 900; // pixels of width from which the reader may stand beside the picture
const SHARE = 0.6; // of the width that is the picture's, when the reader stands beside it
const SMALL = 0.85; // of its natural size: smaller than this, the picture takes all the width

class Diagram {
  constructor(model, root) {
    this.model = model;
    this.timers = new Timers();
    this.serial = 0;
    this.head = model.get("head");
    this.store = new Store((k) => this.tell("want", { k, n: ++this.serial }));
    this.canvas = new Canvas(this.store, `mcp-lesson-${++views}`);
    this.reader = new Reader((row) => this.tell("ask", { row: row.n, n: ++this.serial }), this.timers);
    this.tools = new Tools({
      go: (place) => this.select(place),
      choose: (word) => this.choose(word),
      follow: (yes) => this.tell("follow", yes),
    });
    this.build(root);
    this.giveKeys = keepKeys(this.root);
    this.listen();
    this.store.keep(model.get("window"));
    this.showHead(0);
    this.select(Math.max(0, model.get("step")), { quiet: true });
  }

  build(root) {
    this.title = element("div", { class: "heading" });
    this.sentence = element("p", { class: "sentence" });
    this.status = element("div", { class: "unseen", role: "status", "aria-live": "polite" });
    this.root = element(
      "section",
      { class: "mcp-lesson", role: "group" },
      this.title,
      this.sentence,
      this.tools.element,
      element("div", { class: "panes" }, this.canvas.element, this.reader.element),
      this.status,
    );
    root.append(element("div", { class: "mcp-lesson-frame" }, this.root));
  }

  listen() {
    const pane = this.canvas.element;
    this.root.addEventListener("keydown", (event) => this.key(event));
    pane.addEventListener("click", (event) => this.click(event));
    pane.addEventListener("scroll", () => this.timers.frame("scroll", () => this.canvas.fill()));
    this.size = new ResizeObserver(() => this.timers.frame("size", () => this.resize()));
    this.size.observe(this.root);
    this.handlers = {
      "change:head": () => this.headCame(),
      "change:window": () => this.windowCame(),
      "change:told": () => this.readingCame(),
      "change:follow": () => this.showTools(),
      "change:step": () => this.stepCame(),
    };
    for (const [name, act] of Object.entries(this.handlers)) this.model.on(name, act);
  }

  end() {
    this.giveKeys();
    this.tools.pause();
    this.timers.clear();
    this.size.disconnect();
    for (const [name, act] of Object.entries(this.handlers)) this.model.off(name, act);
  }

  tell(name, value) {
    this.model.set(name, value);
    this.model.save_changes();
  }

  // -- what Python sends ------------------------------------------------------------------------

  headCame() {
    const before = this.head;
    this.head = this.model.get("head");
    const from = before.edition === this.head.edition ? this.head.dirty : 0;
    this.store.forget(from);
    this.showHead(from);
    const grown = this.model.get("follow") && this.head.shown > before.shown;
    if (grown || this.at >= this.head.shown) this.at = this.head.shown - 1;
    this.tools.showPlace(this.at);
  }

  showHead(from) {
    this.store.size = this.head.chunk;
    this.root.setAttribute("aria-label", this.head.alt);
    this.title.textContent = this.head.title;
    this.sentence.textContent = this.head.sentence;
    this.canvas.show(this.head, from);
    this.showTools();
    this.resize();
  }

  showTools() {
    const word = (this.model.get("only") || [])[0] || "";
    this.tools.show(this.head, word, this.model.get("follow"));
  }

  windowCame() {
    const window = this.model.get("window");
    this.store.keep(window);
    for (const chunk of window.chunks || []) {
      const part = this.canvas.drawn.get(chunk.k);
      if (part) part.stale = true;
    }
    this.canvas.fill();
    this.select(this.at, { quiet: true, still: this.waits === undefined && !this.follows() });
  }

  readingCame() {
    const told = this.model.get("told");
    const row = this.store.row(this.at);
    if (row && told.row === row.n) this.reader.show(row, told.read, told);
  }

  stepCame() {
    if (this.model.get("step") !== this.at) this.select(this.model.get("step"), { quiet: true });
  }

  follows() {
    return this.model.get("follow") && this.at === this.head.shown - 1;
  }

  resize() {
    const width = this.root.clientWidth;
    if (width && width < NARROW !== this.model.get("narrow")) this.tell("narrow", width < NARROW);
    const room = width * SHARE >= this.head.width * SMALL;
    this.root.classList.toggle("beside", width >= BESIDE && room);
    this.canvas.resize();
    this.root.style.setProperty("--m-picture", `${this.canvas.height}px`);
  }

  // -- stepping ---------------------------------------------------------------------------------

  // `quiet`: the reader of the screen is not told; `still`: nothing scrolls.
  select(place, { quiet = false, still = false } = {}) {
    if (!this.head.shown) return this.showNothing();
    place = clamp(place, 0, this.head.shown - 1);
    const moved = place !== this.at;
    this.at = place;
    this.tools.showPlace(place);
    if (this.at !== this.model.get("step")) this.timers.after("step", 150, () => this.tell("step", this.at));
    const row = this.store.row(place);
    if (!row) return this.wait(place);
    this.waits = undefined;
    if (!still) this.canvas.reveal(place, quiet);
    this.canvas.light(place);
    this.reader.show(row, row.read, this.store.shelf(place));
    this.prefetch(place);
    if (quiet) return undefined;
    this.status.textContent = `Row ${place + 1} of ${this.head.shown}. ${this.spoken(place)}`;
    if (moved && place < this.head.shown - 1 && this.model.get("follow")) this.tell("follow", false);
    return undefined;
  }

  spoken(place) {
    const group = this.canvas.group(place);
    return group ? group.getAttribute("aria-label") : "";
  }

  wait(place) {
    this.waits = place;
    this.store.want(this.store.chunkOf(place));
    this.canvas.approach(place);
    this.canvas.light(place);
    this.reader.say(`Row ${place + 1} is on its way …`);
  }

  prefetch(place) {
    for (const near of [place + PREFETCH, place - PREFETCH]) {
      this.store.want(this.store.chunkOf(clamp(near, 0, this.head.shown - 1)));
    }
  }

  showNothing() {
    this.at = -1;
    this.tools.showPlace(-1);
    this.reader.say(this.head.rows ? "No row is of this kind." : "No messages yet.");
  }

  choose(word) {
    this.tools.pause();
    this.at = 0;
    this.waits = 0;
    this.tell("only", word ? [word] : []);
  }

  // -- hands ------------------------------------------------------------------------------------

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape" && this.reader.element.contains(event.target)) {
      this.take(event, () => this.canvas.element.focus());
    }
    const act = this.canvas.element.contains(event.target) && this.moves()[event.key];
    if (!act) return;
    if (event.key !== " ") this.tools.pause();
    this.take(event, act);
  }

  moves() {
    const by = (rows) => () => this.select(this.at + rows);
    return {
      ArrowDown: by(1),
      ArrowRight: by(1),
      ArrowUp: by(-1),
      ArrowLeft: by(-1),
      PageDown: by(PAGE),
      PageUp: by(-PAGE),
      Home: () => this.select(0),
      End: () => this.select(this.head.shown - 1),
      Enter: () => this.reader.element.focus(),
      " ": () => this.tools.play(),
    };
  }

  take(event, act) {
    event.preventDefault();
    act();
  }

  click(event) {
    this.tools.pause();
    const place = this.canvas.placeAt(event);
    if (place >= 0) this.select(place);
  }
}

export default {
  render({ model, el }) {
    const view = new Diagram(model, el);
    return () => view.end();
  },
};
