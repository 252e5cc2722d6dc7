// The life of a connection: the picture that Python drew, lit as its conversation is stepped through.
//
// `state.row` is how many rows have been seen, `state.shown` the state that the text below describes.

const PLAY = 1300; // milliseconds from step to step

class Life extends Page {
  build() {
    this.root.setAttribute("aria-label", `Life of a connection${this.data.whose}`);
    this.picture = element("div", { class: "picture" });
    this.about = element("div", { class: "about-state" });
    if (this.data.rows) this.root.append(this.buildTools());
    this.root.append(this.picture, this.about);
    this.picture.append(this.drawn("wide"), this.drawn("tall"));
    if (this.data.rows) this.root.addEventListener("keydown", (event) => this.key(event));
  }

  drawn(of) {
    const made = marked("div", { class: of }, this.data[of]);
    for (const box of made.querySelectorAll("[data-state]")) {
      const name = box.dataset.state;
      box.setAttribute("tabindex", "0");
      box.setAttribute("role", "button");
      box.addEventListener("click", () => this.change({ shown: name }));
      box.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        event.stopPropagation();
        this.change({ shown: name });
        this.say(`${name}. ${this.data.states[name].text}`);
      });
    }
    return made;
  }

  buildTools() {
    const goes = {
      first: () => this.go(0),
      back: () => this.go(this.state.row - 1),
      play: () => this.play(),
      next: () => this.go(this.state.row + 1),
      last: () => this.go(this.data.rows),
    };
    const still = (act) => () => {
      this.stop();
      act();
    };
    const made = (name) => button(name, name === "play" ? goes.play : still(goes[name]));
    this.buttons = Object.fromEntries(Object.keys(goes).map((name) => [name, made(name)]));
    this.buttons.play.classList.add("main");
    this.slider = element("input", { type: "range", min: "0", max: String(this.data.rows), "aria-label": "Row" });
    this.slider.addEventListener("input", () => {
      this.stop();
      this.go(Number(this.slider.value));
    });
    this.count = element("span", { class: "count" });
    this.jumps = this.data.steps.map((step) => this.jump(step));
    return element(
      "div",
      { class: "tools", role: "toolbar", "aria-label": "Step through the conversation" },
      element("span", { class: "moves" }, ...Object.values(this.buttons)),
      this.slider,
      this.count,
      element("span", { class: "jumps" }, ...this.jumps.slice(0, 12)),
    );
  }

  jump(step) {
    const words = step.before === step.state ? `${step.row} early` : `${step.row} ${step.event}`;
    return worded(words, () => this.go(step.row), { class: "jump", title: `Row ${step.row}: ${step.said}` });
  }

  go(row) {
    row = clamp(row, 0, this.data.rows);
    this.change({ row, shown: this.at(row) });
    this.say(`Row ${row} of ${this.data.rows}. ${this.words(row).join(" ")}`);
  }

  at(row) {
    const seen = this.data.steps.filter((step) => step.row <= row);
    return seen.length ? seen[seen.length - 1].state : this.data.first;
  }

  play() {
    if (this.playing) return this.stop();
    if (this.state.row >= this.data.rows) this.go(0);
    this.showPlay("pause");
    this.playing = setInterval(() => {
      if (this.state.row >= this.data.rows) return this.stop();
      this.go(this.state.row + 1);
    }, PLAY);
  }

  stop() {
    clearInterval(this.playing);
    if (this.playing) this.showPlay("play");
    this.playing = undefined;
  }

  showPlay(name) {
    this.buttons.play.replaceChildren(icon(name));
    this.buttons.play.title = ICONS[name][0];
    this.buttons.play.setAttribute("aria-label", ICONS[name][0]);
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target === this.slider) return;
    const goes = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    const ends = { Home: 0, End: this.data.rows };
    if (!(event.key in goes) && !(event.key in ends)) return;
    event.preventDefault();
    this.stop();
    this.go(event.key in ends ? ends[event.key] : this.state.row + goes[event.key]);
  }

  // What the row just seen did, in one or two sentences.
  words(row) {
    if (!row) return ["Nothing was said yet."];
    const label = this.data.labels[row - 1] || "this row";
    const step = this.data.steps.find((one) => one.row === row);
    if (!step) return [`${label}:`, "moves nothing."];
    const moved = step.before !== step.state;
    return [`${step.said}:`, moved ? `from ${step.before} to ${step.state} (${step.event}).` : "moves nothing.", step.note];
  }

  show() {
    const { row, shown } = this.state;
    const now = this.data.rows ? this.at(row) : shown;
    const past = this.data.steps.filter((step) => step.row <= row).map((step) => `${step.before} ${step.event}`);
    for (const box of this.picture.querySelectorAll("[data-state]")) {
      const name = box.dataset.state;
      box.classList.toggle("now", name === now);
      box.classList.toggle("read", name === shown && name !== now);
      box.setAttribute("aria-label", `${name}${name === now ? ", the current state" : ""}`);
    }
    for (const move of this.picture.querySelectorAll("[data-move]")) {
      move.classList.toggle("past", past.includes(move.dataset.move));
    }
    if (this.data.rows) this.showTools(row);
    this.showAbout(row, now);
  }

  showTools(row) {
    this.slider.value = String(row);
    this.slider.setAttribute("aria-valuetext", `row ${row} of ${this.data.rows}: ${this.at(row)}`);
    this.count.textContent = `${row} of ${this.data.rows}`;
    for (const name of ["first", "back"]) this.buttons[name].disabled = row <= 0;
    for (const name of ["next", "last"]) this.buttons[name].disabled = row >= this.data.rows;
    this.jumps.forEach((jump, place) => {
      const here = this.data.steps[place].row === row;
      if (here) jump.setAttribute("aria-current", "step");
      else jump.removeAttribute("aria-current");
    });
  }

  showAbout(row, now) {
    const { shown } = this.state;
    const parts = [];
    if (this.data.rows && shown === now) {
      const [label, ...rest] = this.words(row);
      parts.push(element("p", {}, element("code", {}, label), ` ${rest.join(" ")}`));
    }
    const about = this.data.states[shown];
    if (about) {
      const name = element("strong", {}, shown);
      parts.push(element("p", {}, name, ` (${about.phase}): ${about.text} ${about.limits}`));
    } else parts.push(element("p", { class: "sub" }, "Choose a state to read about it."));
    this.about.replaceChildren(...parts);
  }

  end() {
    if (this.data.rows) this.stop();
    super.end();
  }
}

export default {
  render({ model, el }) {
    const page = new Life(model, el, "life");
    return () => page.end();
  },
};
