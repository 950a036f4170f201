// Numbered rows of a stream: each is kept once, however often and in whatever order they come.

const MOST_ROWS = 2048;

export class RowLog {
  constructor() {
    this.clear();
  }

  clear() {
    this.byNumber = new Map();
    this.sorted = [];
    this.lastNumber = -1;
  }

  /** Take in the rows of a message; `next` is the number after the last of them. */
  add({ rows, next }) {
    const first = next - rows.length;
    const inOrder = first > this.lastNumber;
    const fresh = rows.filter((row, k) => !this.byNumber.has(first + k));
    rows.forEach((row, k) => this.byNumber.set(first + k, row));
    if (inOrder) this.sorted = [...this.sorted, ...fresh];
    else this.#sort();
    this.lastNumber = Math.max(this.lastNumber, next - 1);
    if (this.sorted.length > MOST_ROWS + 256) this.#trim();
  }

  #sort() {
    const numbers = [...this.byNumber.keys()].sort((one, other) => one - other);
    this.sorted = numbers.map((number) => this.byNumber.get(number));
  }

  #trim() {
    const numbers = [...this.byNumber.keys()].sort((one, other) => one - other);
    for (const number of numbers.slice(0, numbers.length - MOST_ROWS)) this.byNumber.delete(number);
    this.#sort();
  }
}
