import { type Work } from './work.js';

/** What is tried together. */
export interface Part<T> {
  readonly works: readonly Work<T>[];
  /** How often its environment was at fault since it was formed. */
  readonly transient: number;
  /** How often it was at fault itself, alone. */
  readonly poisonous: number;
}

/** Without empty ones. */
export function halvesOf<T>(works: readonly Work<T>[]): readonly Part<T>[] {
  const middle = works.length >> 1;
  return [works.slice(0, middle), works.slice(middle)]
    .filter(({ length }) => length > 0)
    .map((half) => ({ works: half, transient: 0, poisonous: 0 }));
}
