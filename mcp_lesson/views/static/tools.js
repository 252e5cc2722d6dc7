// The row of tools: move, play, slider, filter, follow, findings.

const PLAY = 1300; // milliseconds from step to step

const FILTERS = { "": "All rows", messages: "Messages only", errors: "Errors only" };

const LOOKS = {
  notification: "Notifications",
  http: "HTTP",
  noise: "Not JSON",
  stderr: "stderr",
  speech: "Speech",
  lifecycle: "Life cycle",
};

class Tools {
  // `acts`: go(place), choose(word), follow(yes)
  constructor(acts) {
    this.acts = acts;
    this.at = -1;
    this.build();
  }

  build() {
    const go = (where) => () => {
      this.pause();
      this.acts.go(where());
    };
    this.moves = {
      first: button("first", go(() => 0)),
      back: button("back", go(() => this.at - 1)),
      play: button("play", () => this.play()),
      next: button("next", go(() => this.at + 1)),
      last: button("last", go(() => this.head.shown - 1)),
    };
    this.moves.play.classList.add("main");
    this.slider = element("input", { type: "range", min: "1", "aria-label": "Row" });
    this.slider.addEventListener("input", go(() => Number(this.slider.value) - 1));
    this.count = element("span", { class: "count" });
    this.filter = element("select", { "aria-label": "Rows to show" });
    this.filter.addEventListener("change", () => this.acts.choose(this.filter.value));
    this.box = element("input", { type: "checkbox" });
    this.box.addEventListener("change", () => this.acts.follow(this.box.checked));
    this.live = element("label", { class: "live" }, this.box, " Follow");
    this.found = element("button", { type: "button", class: "found" });
    this.found.addEventListener("click", go(() => this.nextFinding()));
    this.key = element("details", { class: "key" });
    this.element = element(
      "div",
      { class: "tools", role: "toolbar", "aria-label": "Step through the conversation" },
      element("span", { class: "moves" }, ...Object.values(this.moves)),
      this.slider,
      this.count,
      this.filter,
      this.live,
      this.found,
      this.key,
    );
  }

  // What each stroke means; the samples are SVG that Python drew.
  showKey(rows) {
    const list = element("dl");
    for (const [sample, words] of rows) {
      const drawn = element("dt", { "aria-hidden": "true" });
      drawn.innerHTML = sample;
      list.append(element("div", {}, drawn, element("dd", {}, words)));
    }
    this.key.replaceChildren(element("summary", {}, "Key"), list);
    this.key.hidden = !rows.length;
  }

  show(head, word, follows) {
    this.head = head;
    this.slider.max = String(Math.max(1, head.shown));
    this.filter.hidden = !head.looks.length;
    this.box.checked = follows;
    const findings = head.findings.length;
    this.found.hidden = !findings;
    this.found.textContent = `⚠ ${findings} ${head.sentence ? "difference" : "finding"}${findings === 1 ? "" : "s"}`;
    this.showFilter(word);
    if (this.strokes !== head.key.length) this.showKey(head.key);
    this.strokes = head.key.length;
  }

  showFilter(word) {
    const looks = Object.keys(LOOKS).filter((look) => this.head.looks.includes(look));
    const words = [...Object.keys(FILTERS), ...looks, ...this.head.methods];
    if (!words.includes(word)) words.push(word);
    const named = (one) => FILTERS[one] || LOOKS[one] || one;
    if (this.words !== words.join("\n")) {
      this.words = words.join("\n");
      this.filter.replaceChildren(...words.map((one) => element("option", { value: one }, named(one))));
    }
    this.filter.value = word;
  }

  showPlace(at) {
    this.at = at;
    const { shown, rows } = this.head;
    const all = rows > shown ? ` (${rows} in all)` : "";
    this.count.textContent = shown ? `${at + 1} of ${shown}${all}` : "no rows";
    this.slider.value = String(at + 1);
    this.slider.setAttribute("aria-valuetext", `row ${at + 1} of ${shown}`);
    for (const name of ["first", "back"]) this.moves[name].disabled = at <= 0;
    for (const name of ["next", "last"]) this.moves[name].disabled = at >= shown - 1;
  }

  nextFinding() {
    const places = this.head.findings;
    return places.find((place) => place > this.at) ?? places[0];
  }

  play() {
    if (this.playing) return this.pause();
    if (this.at >= this.head.shown - 1) this.acts.go(0);
    this.playing = setInterval(() => {
      if (this.at >= this.head.shown - 1) return this.pause();
      this.acts.go(this.at + 1);
    }, PLAY);
    this.showPlay("pause");
  }

  pause() {
    clearInterval(this.playing);
    if (this.playing) this.showPlay("play");
    this.playing = undefined;
  }

  showPlay(name) {
    this.moves.play.replaceChildren(icon(name));
    this.moves.play.title = ICONS[name][0];
    this.moves.play.setAttribute("aria-label", ICONS[name][0]);
  }
}
