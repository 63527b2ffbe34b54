import type { Backing } from '../store.js';

/** `Storage` without a browser, whose keys are its own properties, too; `room` is how many characters it takes. */
export class MemoryStorage implements Backing {
  readonly #room: number;

  constructor(room = Infinity) {
    this.#room = room;
  }

  getItem(key: string): string | null {
    return this.entries().find(([name]) => name === key)?.[1] ?? null;
  }

  setItem(key: string, value: string): void {
    const used = this.entries().reduce((sum, [name, text]) => sum + name.length + text.length, 0);
    if (used + key.length + value.length > this.#room) throw new Error('QuotaExceededError');
    Object.assign(this, { [key]: value });
  }

  removeItem(key: string): void {
    Reflect.deleteProperty(this, key);
  }

  private entries(): readonly (readonly [string, string])[] {
    return Object.entries<string>({ ...this } as unknown as Record<string, string>);
  }
}
