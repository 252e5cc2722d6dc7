// A question of a server: who asks what, a form or an address, and three ways out.

const SETTLED = { accept: "✓", decline: "✕", cancel: "–", withdrawn: "↩" };

class Question extends FormPage {
  build() {
    const { who, message, form, address, details, warnings } = this.data;
    const asked = element("p", { class: "question", id: `${this.name}-question` }, message);
    this.root.setAttribute("aria-labelledby", asked.id);
    const asks = element("span", { class: "tag asks" }, `${who} asks`);
    this.rest = element("p", { class: "bad whole", hidden: "" });
    this.outcome = element("p", { class: "settled" });
    this.root.append(
      element("div", { class: "ask" }, asks, asked),
      ...warnings.map((words) => element("p", { class: "warning" }, `⚠ ${words}`)),
      ...(address ? [this.buildAddress(address)] : []),
      ...(details ? [element("pre", { class: "raw details", tabindex: "0", "aria-label": "Details" }, details)] : []),
      ...(form ? [this.buildSheet()] : []),
      this.rest,
      this.buildButtons(),
      this.outcome,
    );
    this.timers.after("spoken", 300, () => this.data.outcome || this.say(`${who} asks: ${message}`));
  }

  buildSheet() {
    return element("div", { class: "sheet" }, this.buildForm(null), this.buildPreview());
  }

  // The address is text, and no link, until somebody has agreed to open it.
  buildAddress({ before, host, after }) {
    const shown = element("p", { class: "address" }, before, element("strong", {}, host), after);
    const whose = element("p", { class: "host" }, "Host: ", element("strong", {}, host || "none"));
    return element("div", { class: "where" }, shown, whose);
  }

  buildButtons() {
    const { address, details } = this.data;
    const yes = address ? "Agree and open" : details ? "Approve" : "Accept";
    const [first, second] = this.data.warnings.length ? ["", "main"] : ["main", ""];
    this.accept = worded(yes, () => this.settle("accept"), { class: first });
    this.decline = worded("Decline", () => this.settle("decline"), { class: second });
    this.cancel = worded("Cancel", () => this.settle("cancel"));
    this.words = element("span", { class: "count" });
    this.buttons = element("div", { class: "tools below" }, this.accept, this.decline, this.cancel, this.words);
    return this.buttons;
  }

  settle(action) {
    if (this.data.outcome) return;
    if (action === "accept" && this.data.address) this.open(this.data.address);
    this.press(action);
  }

  // Opened apart from this page: neither can look into the other.
  open({ url, opens }) {
    if (opens) window.open(url, "_blank", "noopener,noreferrer");
  }

  unheard() {
    this.words.textContent = "Nobody answers: the cell that asked is no longer running.";
  }

  show() {
    const { outcome, said, preview, address, problems } = this.data;
    const rest = this.showForm(Boolean(outcome));
    this.rest.hidden = !rest.length;
    this.rest.textContent = rest.map((words) => `✕ ${words}`).join(" ");
    this.root.classList.toggle("done", Boolean(outcome));
    this.root.dataset.outcome = outcome;
    this.buttons.hidden = Boolean(outcome);
    this.accept.disabled = Boolean(address && !address.opens);
    this.outcome.hidden = !outcome;
    this.outcome.textContent = outcome ? `${SETTLED[outcome]} ${said}` : "";
    this.showPreview(outcome === "withdrawn" ? "" : preview, outcome ? "answer, as it was sent" : "answer, as it would be sent");
    this.tell(Object.keys(problems).length);
  }

  tell(wrong) {
    const many = wrong === 1 ? "One value does" : `${wrong} values do`;
    this.words.textContent = wrong && !this.data.outcome ? `${many} not fit. Nothing was sent.` : "";
    const words = this.outcome.textContent || this.words.textContent;
    if (words && words !== this.told) this.say(words);
    this.told = words;
  }
}

export default {
  render({ model, el }) {
    const page = new Question(model, el, "form question-card");
    return () => page.end();
  },
};
