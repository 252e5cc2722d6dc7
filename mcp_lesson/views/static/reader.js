// The reader: one row, field by field, each with its meaning and a link to its clause.

class Reader {
  // `ask` is called with a row whose whole reading is wanted.
  constructor(ask, timers) {
    this.ask = ask;
    this.timers = timers;
    this.element = element("aside", { class: "reader", tabindex: "0", "aria-label": "The selected row" });
  }

  say(words) {
    this.element.replaceChildren(element("p", { class: "sub" }, words));
  }

  // `read` is the row's reading, in one part or two; `shelf` holds the texts and shapes they name.
  show(row, read, shelf) {
    if (!read) return this.askFor(row);
    this.element.replaceChildren(...read.map((part) => this.part(row, part, shelf)));
    this.element.scrollTop = 0;
    return undefined;
  }

  part(row, part, shelf) {
    const text = (number) => shelf.texts[number];
    const made = element("div", { class: "part" }, element("h3", {}, text(part.title)));
    made.append(element("p", { class: "sub" }, part.sub));
    if (part.about !== undefined) made.append(this.about(part, text(part.about)));
    if (part.v.length) made.append(this.table(shelf, part.f, part.v, `Fields: ${text(part.title)}`));
    if (part.raw) made.append(this.foot(row, part, shelf));
    if (part.w) made.append(element("h4", {}, "HTTP headers"), this.table(shelf, part.g, part.w, "HTTP headers"));
    return made;
  }

  // A clause is a path of the specification, or the whole address of another page.
  about(part, words) {
    const made = element("p", { class: part.warns ? "about warns" : "about" }, words);
    const path = part.clause && part.clause.replace(SITE, "");
    if (path && path.startsWith("/")) made.append(" ", this.link(path, `${crumbs(path)} ↗`));
    return made;
  }

  table(shelf, shape, values, label) {
    const lines = shelf.shapes[shape].map((line, index) => this.line(line, values[index], shelf.texts));
    const body = element("tbody", { role: "rowgroup" }, ...lines);
    return element("table", { role: "table", "aria-label": label }, body);
  }

  line([depth, name, meaning, setter, clause, required, known], value, texts) {
    const code = element("code", { class: "name" }, texts[name]);
    const head = element("th", { scope: "row", role: "rowheader" }, texts[clause] ? this.link(texts[clause], code) : code);
    head.style.paddingLeft = `${0.4 + depth * 0.9}em`;
    if (required) head.append(element("span", { class: "must", title: "required" }, "*"));
    const said = element("td", { class: "meaning", role: "cell" });
    if (!known) said.append(element("span", { class: "warn" }, "⚠ "));
    said.append(texts[meaning], texts[setter] ? ` Decided by ${texts[setter]}.` : "");
    return element("tr", { role: "row" }, head, element("td", { role: "cell" }, element("code", {}, value)), said);
  }

  link(clause, ...children) {
    const title = `Specification: ${crumbs(clause)}`;
    return element("a", { href: SITE + clause, target: "_blank", rel: "noopener noreferrer", title }, ...children);
  }

  foot(row, part, shelf) {
    const label = "The line as it crossed the wire";
    const raw = element("pre", { class: "raw", tabindex: "0", role: "group", "aria-label": label });
    raw.textContent = part.raw;
    raw.hidden = part.v.length > 0;
    const show = element("button", { type: "button", "aria-expanded": String(!raw.hidden) }, "Raw");
    show.addEventListener("click", () => {
      raw.hidden = !raw.hidden;
      show.setAttribute("aria-expanded", String(!raw.hidden));
    });
    const copy = element("button", { type: "button" }, "Copy");
    copy.addEventListener("click", () => this.copy(copy, raw));
    const line = element("p", { class: "foot" }, ...this.clause(part, shelf), show, copy);
    if (part.cut) line.append(...this.rest(row, part));
    return element("div", {}, line, raw);
  }

  rest(row, part) {
    const whole = element("button", { type: "button" }, "Show all");
    whole.addEventListener("click", () => this.askFor(row));
    return [whole, element("span", { class: "sub" }, `cut here; ${part.cut.toLocaleString("en")} characters in all`)];
  }

  // The clause of the message itself: the first that is not about the envelope alone.
  clause(part, shelf) {
    const clauses = part.v.length ? shelf.shapes[part.f].map((line) => shelf.texts[line[4]]).filter(Boolean) : [];
    const main = clauses.find((one) => !/\/basic(\/index)?#/.test(one)) || clauses[0];
    return main ? [this.link(main, `Specification ${main.split("/")[2]} › ${crumbs(main)} ↗`)] : [];
  }

  async copy(made, raw) {
    try {
      await navigator.clipboard.writeText(raw.textContent);
      made.textContent = "Copied";
    } catch {
      raw.hidden = false;
      getSelection().selectAllChildren(raw);
      made.textContent = "Selected";
    }
    this.timers.after("copied", 1600, () => (made.textContent = "Copy"));
  }

  askFor(row) {
    const note = element("p", { class: "sub", role: "status" }, "Asking for all of it …");
    this.element.append(note);
    this.ask(row);
    this.timers.after("ask", PATIENCE, () => {
      if (note.isConnected) note.textContent = "Nobody answers: run the cell again to read all of it.";
    });
  }
}
