// The rows that are here, in chunks, and the chunks that have been asked for.
//
// A row is named by its place among the rows shown, counted from 0; `row.n` is its number in the
// whole conversation, by which Python and other rows know it.

class Store {
  constructor(ask) {
    this.ask = ask; // called with the number of a chunk that is wanted
    this.chunks = new Map();
    this.asked = new Set();
    this.size = 1;
  }

  keep(window) {
    for (const chunk of window.chunks || []) {
      this.chunks.set(chunk.k, { ...chunk, texts: window.texts, shapes: window.shapes });
      this.asked.delete(chunk.k);
    }
  }

  // Chunks from this one on look different now.
  forget(from) {
    for (const k of [...this.chunks.keys()]) if (k >= from) this.chunks.delete(k);
    this.asked.clear();
  }

  want(k) {
    if (this.chunks.has(k) || this.asked.has(k)) return;
    this.asked.add(k);
    this.ask(k);
  }

  chunkOf(place) {
    return Math.floor(place / this.size);
  }

  shelf(place) {
    return this.chunks.get(this.chunkOf(place));
  }

  row(place) {
    const chunk = this.shelf(place);
    return place >= 0 && chunk ? chunk.rows[place % this.size] : undefined;
  }

  // The place of the row that this test holds for, or -1.
  find(test) {
    for (const chunk of this.chunks.values()) {
      const index = chunk.rows.findIndex(test);
      if (index >= 0) return chunk.k * this.size + index;
    }
    return -1;
  }
}
