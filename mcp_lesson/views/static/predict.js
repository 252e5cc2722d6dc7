// A question and its options: a person guesses, or a class is counted; then each option says why.

class Prediction extends Page {
  build() {
    const question = marked("p", { class: "question", id: `${this.name}-question` }, this.data.question);
    this.root.setAttribute("aria-labelledby", question.id);
    this.rows = this.data.options.map((option, place) => this.buildOption(option, place));
    this.total = element("span", { class: "count" });
    this.counter = worded("Count votes", () => this.change({ voting: !this.state.voting }), { class: "toggle" });
    this.opener = worded("Show the answer", () => this.reveal(), { class: "main" });
    this.again = worded("Start again", () => this.restart());
    this.root.append(
      element("div", { class: "ask" }, element("span", { class: "tag" }, "Predict"), question),
      element("ul", { class: "options", role: "list" }, ...this.rows.map((row) => row.item)),
      element("div", { class: "tools below" }, this.counter, this.opener, this.again, this.total),
    );
  }

  buildOption(option, place) {
    const letter = element("span", { class: "letter" }, option.letter);
    const verdict = element("span", { class: "verdict" });
    const words = element("span", { class: "words" }, marked("span", {}, option.text), verdict);
    const choice = worded("", () => this.guess(place), { class: "option", "aria-pressed": "false" });
    choice.append(letter, words);
    const why = marked("p", { class: "why" }, option.why);
    const row = { option, choice, verdict, why, ...this.buildVotes(option, place) };
    row.item = element("li", {}, element("div", { class: "line" }, choice, row.votes), why, row.bar);
    return row;
  }

  buildVotes(option, place) {
    const field = element("input", { type: "number", min: "0", max: "999", "aria-label": `Votes for ${option.letter}` });
    field.addEventListener("change", () => this.vote(place, Number(field.value)));
    const fewer = worded("−", () => this.vote(place, this.state.votes[place] - 1), {
      "aria-label": `One vote fewer for ${option.letter}`,
    });
    const more = worded("+", () => this.vote(place, this.state.votes[place] + 1), {
      "aria-label": `One more vote for ${option.letter}`,
    });
    const fill = element("div", { class: "fill" });
    const bar = element("div", { class: "share", "aria-hidden": "true" }, fill);
    return { field, fewer, more, fill, bar, votes: element("span", { class: "votes" }, fewer, field, more) };
  }

  vote(place, count) {
    const votes = [...this.state.votes];
    votes[place] = clamp(Math.round(count) || 0, 0, 999);
    this.change({ votes });
    this.say(`${this.data.options[place].letter}: ${votes[place]}`);
  }

  guess(place) {
    if (this.state.open) return;
    if (this.state.voting) return this.vote(place, this.state.votes[place] + 1);
    this.change({ guess: place });
    this.reveal();
  }

  reveal() {
    this.change({ open: true });
    this.say(this.spoken());
    if (document.activeElement === document.body) this.again.focus();
  }

  restart() {
    this.change({ guess: -1, open: false, votes: this.state.votes.map(() => 0) });
    this.say("");
    this.rows[0].choice.focus();
  }

  spoken() {
    const right = this.data.options.find((option) => option.right);
    const own = this.data.options[this.state.guess];
    if (!own) return `The answer is ${right.letter}.`;
    return own.right ? `${own.letter} is right.` : `${own.letter} is not it; the answer is ${right.letter}.`;
  }

  show() {
    const { open, voting, votes } = this.state;
    const sum = votes.reduce((one, other) => one + other, 0);
    this.root.classList.toggle("open", open);
    this.counter.setAttribute("aria-pressed", String(voting));
    this.counter.hidden = open && !voting;
    this.opener.hidden = open || !voting;
    this.again.hidden = !open && !sum;
    this.total.textContent = this.summary(sum);
    this.rows.forEach((row, place) => this.showOption(row, place, sum));
  }

  showOption(row, place, sum) {
    const { open, voting, votes, guess } = this.state;
    row.item.className = open ? (row.option.right ? "right" : "wrong") : "";
    row.choice.setAttribute("aria-pressed", String(guess === place));
    row.choice.setAttribute("aria-disabled", String(open));
    row.verdict.textContent = open ? this.verdict(row.option, guess === place) : "";
    row.why.hidden = !open || !row.option.why;
    row.votes.hidden = !voting;
    row.bar.hidden = !voting || !sum;
    row.fewer.disabled = votes[place] === 0;
    row.field.value = String(votes[place]);
    row.fill.style.width = `${sum ? (100 * votes[place]) / sum : 0}%`;
  }

  verdict(option, own) {
    const said = option.right ? "✓ this one" : "✕ not this one";
    return own ? `${said} · your guess` : said;
  }

  summary(sum) {
    if (!this.state.voting) return "";
    const count = `${sum} vote${sum === 1 ? "" : "s"}`;
    if (!this.state.open || !sum) return count;
    const right = this.state.votes[this.data.options.findIndex((option) => option.right)];
    return `${count}, ${right} of them right`;
  }
}

export default {
  render({ model, el }) {
    const page = new Prediction(model, el, "predict");
    return () => page.end();
  },
};
