import type { Backing } from '../store.js';

/** `Storage` without a browser; `room` is how many characters it takes. */
export class MemoryStorage implements Backing {
  private readonly entries = new Map<string, string>();

  constructor(private readonly room = Infinity) {}

  get length(): number {
    return this.entries.size;
  }

  key(index: number): string | null {
    return [...this.entries.keys()][index] ?? null;
  }

  getItem(key: string): string | null {
    return this.entries.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    const used = [...this.entries].reduce((sum, [name, text]) => sum + name.length + text.length, 0);
    if (used + key.length + value.length > this.room) throw new Error('QuotaExceededError');
    this.entries.set(key, value);
  }

  removeItem(key: string): void {
    this.entries.delete(key);
  }
}
