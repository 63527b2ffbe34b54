import type { Backing } from '../store.js';

/** `Storage` without a browser, whose keys are its own properties, too; `room` is how many characters it takes. */
export class MemoryStorage implements Backing {
  readonly #room: number;

  constructor(room = Infinity) {
    this.#room = room;
  }

  getItem(key: string): string | null {
    return Object.hasOwn(this, key) ? String(Reflect.get(this, key)) : null;
  }

  setItem(key: string, value: string): void {
    if (this.used + key.length + value.length > this.#room) throw new Error('QuotaExceededError');
    Object.assign(this, { [key]: value });
  }

  removeItem(key: string): void {
    Reflect.deleteProperty(this, key);
  }

  /** Counted only where there is a limit: a page with a thousand events asks a thousand times. */
  private get used(): number {
    if (this.#room === Infinity) return 0;
    return Object.entries({ ...this }).reduce(
      (sum, [name, text]) => sum + name.length + String(text).length,
      0,
    );
  }
}
