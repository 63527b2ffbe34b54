/** A queue whose places have numbers that never change, the first of all having 0. */
export class Fifo<T> {
  private items: T[] = [];
  private removed = 0;
  private numberOfFirst = 0;

  /** The number of the oldest item; with none, that of the next. */
  get first(): number {
    return this.numberOfFirst;
  }

  /** The number of the next item. */
  get end(): number {
    return this.numberOfFirst + this.items.length - this.removed;
  }

  at(number: number): T | undefined {
    return number < this.numberOfFirst ? undefined : this.items[number - this.numberOfFirst + this.removed];
  }

  push(item: T): void {
    this.items.push(item);
  }

  shift(): T | undefined {
    const item = this.items[this.removed];
    if (item === undefined) return undefined;
    this.removed += 1;
    this.numberOfFirst += 1;
    // Copying the rest each time would cost its length for every item.
    if (this.removed > this.items.length / 2) {
      this.items = this.items.slice(this.removed);
      this.removed = 0;
    }
    return item;
  }
}
