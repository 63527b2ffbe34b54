import { setTimeout as delay } from 'node:timers/promises';

/** A little more than a piece takes. */
const REST_MS = 4;
/** Who has so much to do is behind, and does not rest. */
const HURRIED = 2_500;

/**
 * Does what a fold does with many things in pieces, with a rest behind each. Nobody waits for a fold, but it shares processors and
 * Postgres with requests that do: at a stretch it takes a tenth of a second of both, for which all of them come late; in pieces it
 * costs as much (docs/benchmarks/profiles.md).
 */
export async function inPieces<T>(
  all: readonly T[],
  size: number,
  work: (piece: readonly T[]) => Promise<void> | void,
): Promise<void> {
  const isResting = all.length > size && all.length < HURRIED;
  for (let start = 0; start < all.length; start += isResting ? size : all.length) {
    if (start > 0) await delay(REST_MS);
    await work(isResting ? all.slice(start, start + size) : all);
  }
}
