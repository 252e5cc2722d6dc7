// A tool's form: fill in, see what would be sent, send it, read what comes back.

class Tool extends FormPage {
  build() {
    this.root.setAttribute("aria-label", `Form for the tool ${this.data.name}`);
    this.go = worded("", () => this.press("call"), { class: "main" });
    this.stop = worded("Stop", () => this.press("stop"));
    this.again = worded("Start again", () => this.restart());
    this.words = element("span", { class: "count" });
    this.rest = element("p", { class: "bad whole", hidden: "" });
    const form = this.buildForm(() => !this.go.disabled && this.press("call"));
    const none = this.data.form.kind === "object" && !this.data.form.parts.length;
    this.root.append(
      element(
        "div",
        { class: "ask" },
        element("span", { class: "tag" }, "Tool"),
        element("p", { class: "question" }, element("code", {}, this.data.name)),
        element("p", { class: "told" }, this.data.words),
      ),
      element(
        "div",
        { class: "sheet" },
        none ? element("p", { class: "hint none" }, "It takes no arguments.") : form,
        this.buildPreview(),
      ),
      this.rest,
      element("div", { class: "tools below" }, this.go, this.stop, this.again, this.words),
      this.buildResult(),
    );
  }

  buildResult() {
    this.verdict = element("div", { class: "verdict" });
    this.came = element("pre", { class: "raw", tabindex: "0", "aria-label": "Result" });
    this.result = element("div", { class: "came" }, this.verdict, this.came);
    return this.result;
  }

  restart() {
    this.fields.fill(this.data.form.blank);
    this.press("clear");
    this.root.querySelector("input, select, textarea")?.focus();
  }

  unheard() {
    this.words.textContent = "Nobody answers: run the cell again to use this form.";
  }

  show() {
    const { calls, name, busy, preview, result, trouble, failed, checked, problems } = this.data;
    const rest = this.showForm(busy);
    const wrong = Object.keys(problems).length;
    this.rest.hidden = !rest.length;
    this.rest.textContent = rest.map((words) => `✕ ${words}`).join(" ");
    this.go.textContent = calls ? `Call ${name}` : "Check";
    this.go.disabled = busy;
    this.stop.hidden = !busy;
    this.again.disabled = busy;
    this.showPreview(preview, "arguments, as they would be sent");
    this.words.textContent = this.summary(busy, wrong, checked && !calls);
    this.result.hidden = !result && !trouble;
    this.result.classList.toggle("failed", Boolean(failed || trouble));
    this.verdict.textContent = trouble ? "✕ no result" : failed ? "✕ the tool failed" : "✓ result";
    this.came.textContent = trouble || result;
    this.tell(wrong);
  }

  summary(busy, wrong, fine) {
    if (busy) return "called; waiting for the answer …";
    if (wrong) return `${wrong === 1 ? "One value does" : `${wrong} values do`} not keep the schema. Nothing was sent.`;
    return fine ? "✓ These arguments keep the schema." : "";
  }

  // What a screen reader should hear: the outcome, once.
  tell(wrong) {
    const words = wrong || this.result.hidden ? this.words.textContent : `${this.verdict.textContent}: ${this.came.textContent}`;
    if (words !== this.told) this.say(words);
    this.told = words;
  }
}

export default {
  render({ model, el }) {
    const page = new Tool(model, el, "form tool-form");
    return () => page.end();
  },
};
