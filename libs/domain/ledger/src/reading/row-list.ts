/** Rows in their order, as ranges: the rows of a document mostly follow each other. */
export class RowList implements Iterable<number> {
  /** The first and the last row of each range. */
  private readonly bounds: number[] = [];
  private count = 0;

  get length(): number {
    return this.count;
  }

  /** A row behind all rows that are there. */
  add(row: number): void {
    if (this.bounds.at(-1) === row - 1) this.bounds[this.bounds.length - 1] = row;
    else this.bounds.push(row, row);
    this.count += 1;
  }

  dropLast(): void {
    const last = this.bounds.length - 1;
    if (last < 0) return;
    this.count -= 1;
    if (this.bounds[last] === this.bounds[last - 1]) this.bounds.length -= 2;
    else this.bounds[last] = (this.bounds[last] ?? 0) - 1;
  }

  has(row: number): boolean {
    let [low, high] = [0, this.bounds.length / 2];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.bounds[2 * middle + 1] ?? 0) < row) low = middle + 1;
      else high = middle;
    }
    return low * 2 < this.bounds.length && (this.bounds[2 * low] ?? 0) <= row;
  }

  /** The first rows, at most as many. */
  *first(most: number): Generator<number> {
    let seen = 0;
    for (const row of this) {
      seen += 1;
      if (seen > most) return;
      yield row;
    }
  }

  *[Symbol.iterator](): Iterator<number> {
    for (let at = 0; at < this.bounds.length; at += 2)
      for (let row = this.bounds[at] ?? 0; row <= (this.bounds[at + 1] ?? -1); row += 1) yield row;
  }
}
