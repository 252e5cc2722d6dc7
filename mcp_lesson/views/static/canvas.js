// The pane with the picture: chunks of SVG that come and go, the light on the selected row.

const PATIENCE = 2500; // milliseconds before a placeholder says that nobody answers
const SMALLEST = 0.8; // of its natural size: a pane too narrow for that scrolls sideways
const LARGEST = 1.5; // of its natural size: a wider pane leaves room at both sides
const AROUND = 800; // pixels, at natural size, that are drawn above and below what can be seen

class Canvas {
  constructor(store, name) {
    this.store = store;
    this.name = name;
    this.drawn = new Map(); // number of a chunk -> { element, whole, stale }
    this.at = -1;
    this.scale = 1;
    this.heads = element("div", { class: "heads", "aria-hidden": "true" });
    this.roll = element("div", { class: "roll", role: "presentation" });
    this.element = element(
      "div",
      { class: "scroll", tabindex: "0", role: "listbox", "aria-label": "Rows of the conversation" },
      this.heads,
      this.roll,
    );
    this.lit = vector("rect", { class: "lit", rx: "8" });
    this.tied = vector("rect", { class: "tied", rx: "8" });
  }

  show(head, from) {
    this.head = head;
    this.heads.innerHTML = head.heads;
    for (const [k, part] of this.drawn) if (k >= from) part.stale = true;
  }

  // Fit the picture to the width there is.
  resize() {
    for (const { style } of [this.heads, this.roll]) {
      style.minWidth = `${this.head.width * SMALLEST}px`;
      style.maxWidth = `${this.head.width * LARGEST}px`;
    }
    this.scale = this.roll.clientWidth / this.head.width || 1;
    this.roll.style.height = `${Math.ceil(this.head.height * this.scale)}px`;
    for (const k of this.drawn.keys()) this.place(k);
    this.fill();
  }

  // How high the picture would stand if nothing bounded it: pixels.
  get height() {
    return this.heads.offsetHeight + this.roll.offsetHeight;
  }

  top(k) {
    const chunk = this.store.chunks.get(k);
    return chunk ? chunk.top : this.head.tops[k];
  }

  bottom(k) {
    return k + 1 < this.head.tops.length ? this.head.tops[k + 1] : this.head.height;
  }

  place(k) {
    const { element: part, whole } = this.drawn.get(k);
    part.style.top = `${this.top(k) * this.scale}px`;
    if (!whole) part.style.height = `${(this.bottom(k) - this.top(k)) * this.scale}px`;
  }

  // Draw the chunks that can be seen or nearly so; drop the others.
  fill() {
    const top = this.element.scrollTop / this.scale - AROUND;
    const bottom = top + this.element.clientHeight / this.scale + 2 * AROUND;
    const near = this.head.tops.map((_, k) => k).filter((k) => this.bottom(k) >= top && this.head.tops[k] <= bottom);
    for (const [k, part] of this.drawn) {
      if (near.includes(k)) continue;
      part.element.remove();
      this.drawn.delete(k);
    }
    for (const k of near) this.draw(k);
  }

  draw(k) {
    const before = this.drawn.get(k);
    if (before && before.whole && !before.stale) return;
    const chunk = this.store.chunks.get(k);
    if (!chunk) this.store.want(k);
    if (!chunk && before) return; // what is stale is better than nothing
    const made = chunk ? this.rows(chunk) : this.waiting(k);
    if (before) before.element.replaceWith(made);
    else this.roll.append(made);
    this.drawn.set(k, { element: made, whole: Boolean(chunk), stale: false });
    this.place(k);
    if (chunk) this.light(this.at);
  }

  rows(chunk) {
    const made = element("div", { class: "chunk", role: "presentation" });
    made.innerHTML = chunk.svg;
    made.querySelectorAll("g.r").forEach((group, index) => {
      group.id = `${this.name}-${chunk.k * this.store.size + index}`;
      group.setAttribute("role", "option");
      group.setAttribute("aria-selected", "false");
      group.setAttribute("aria-label", this.spoken(group, chunk.rows[index]));
    });
    return made;
  }

  spoken(group, row) {
    const said = group.textContent.replace(/\s+/g, " ").trim();
    return row && row.read ? `${row.read[0].sub}. ${said}` : said;
  }

  waiting(k) {
    const first = k * this.store.size + 1;
    const rows = `Rows ${first} to ${Math.min(this.head.shown, first + this.store.size - 1)}`;
    const words = element("span", {}, `${rows} are on their way`);
    const tell = () => (words.textContent = `${rows} are not kept in this notebook: run the cell again`);
    setTimeout(tell, PATIENCE);
    return element("div", { class: "chunk waiting" }, words);
  }

  group(place) {
    return this.element.querySelector(`#${this.name}-${place}`);
  }

  // Put the light on this row, and a dotted frame around the one it answers or is answered by.
  light(place) {
    const row = this.store.row(place);
    const before = this.element.querySelector('[aria-selected="true"]');
    if (before) before.setAttribute("aria-selected", "false");
    this.at = place;
    this.frame(this.lit, place);
    this.frame(this.tied, row && row.p !== undefined ? this.store.find((one) => one.n === row.p) : -1);
    const group = this.group(place);
    if (!group) return this.element.removeAttribute("aria-activedescendant");
    group.setAttribute("aria-selected", "true");
    this.element.setAttribute("aria-activedescendant", group.id);
  }

  frame(rect, place) {
    const row = this.store.row(place);
    const part = row && this.drawn.get(this.store.chunkOf(place));
    const under = part && part.element.querySelector("g.under");
    if (!under) return rect.remove();
    const y = row.y - this.store.shelf(place).top + 2;
    const box = { x: 42, y, width: this.head.width - 58, height: row.h - 3 };
    for (const [name, value] of Object.entries(box)) rect.setAttribute(name, value);
    if (rect.parentNode !== under) under.append(rect);
  }

  // Scroll so that this row can be seen; `gently` no further than needed.
  reveal(place, gently) {
    const row = this.store.row(place);
    const top = row.y * this.scale;
    const bottom = top + row.h * this.scale;
    const room = this.element.clientHeight - this.heads.offsetHeight;
    const now = this.element.scrollTop;
    if (top < now + 8) this.element.scrollTop = Math.max(0, gently ? top - 24 : top - room / 3);
    else if (bottom > now + room - 8) this.element.scrollTop = gently ? bottom - room + 24 : bottom - (room * 2) / 3;
    this.fill();
    this.revealSideways(place);
  }

  // Where the pane scrolls sideways: far enough that the whole arrow can be seen.
  revealSideways(place) {
    const group = this.element.scrollWidth > this.element.clientWidth && this.group(place);
    if (!group) return;
    const pane = this.element.getBoundingClientRect();
    const box = group.getBoundingClientRect();
    if (box.left >= pane.left && box.right <= pane.right) return;
    this.element.scrollLeft += (box.left + box.right - pane.left - pane.right) / 2;
  }

  // Scroll to where a row will be that is not here yet.
  approach(place) {
    const k = this.store.chunkOf(place);
    const share = (place % this.store.size) / this.store.size;
    const y = this.head.tops[k] + share * (this.bottom(k) - this.head.tops[k]);
    this.element.scrollTop = Math.max(0, y * this.scale - this.element.clientHeight / 2);
    this.fill();
  }

  placeAt(event) {
    const y = (event.clientY - this.roll.getBoundingClientRect().top) / this.scale;
    return this.heads.contains(event.target) ? -1 : this.store.find((row) => y >= row.y && y < row.y + row.h);
  }
}
