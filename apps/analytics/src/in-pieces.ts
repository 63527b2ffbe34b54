import { setTimeout as delay } from 'node:timers/promises';

/** A little more than a piece takes. */
const REST_MS = 4;

export interface Pieces {
  /** Of a piece, at most. */
  readonly size: number;
  /** Whether the next fold waits already: then all is one piece. */
  readonly isHurried: boolean;
}

/**
 * Does what a fold does with many things in pieces, with a rest behind each. Nobody waits for a fold, but it shares processors and
 * Postgres with requests that do: at a stretch it takes a tenth of a second of both, for which all of them come late; in pieces it
 * costs as much (docs/benchmarks/profiles.md). One that is behind would cost more, because what it rests for has to be kept.
 */
export async function inPieces<T>(
  all: readonly T[],
  { size, isHurried }: Pieces,
  work: (piece: readonly T[]) => Promise<void> | void,
): Promise<void> {
  const step = isHurried ? all.length : size;
  for (let start = 0; start < all.length; start += step) {
    if (start > 0) await delay(REST_MS);
    await work(all.length <= step ? all : all.slice(start, start + step));
  }
}
