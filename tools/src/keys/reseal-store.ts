import { type Keyring } from '@truetally/keyring';
import type { SealedStore } from './sealed-values.js';

export interface Resealed {
  readonly resealed: number;
  /** Ids of rows whose value cannot be opened; they are not changed. */
  readonly unreadable: readonly string[];
}

const BATCH_ROWS = 500;
/** Each pass begins with the values that were sealed with an old key during the previous pass. */
const MAX_PASSES = 100;
const PROGRESS_INTERVAL_MS = 1_000;

/** Reseals every value of a store with the current key, until none is sealed with another key. */
export async function resealStore(
  store: SealedStore,
  keyring: Keyring,
  say: (line: string) => void,
): Promise<Resealed> {
  const unreadable = new Set<string>();
  let resealed = 0;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const others = [...(await store.countByKey())].filter(([keyId]) => keyId !== keyring.currentKeyId);
    const waiting = others.reduce((sum, [, count]) => sum + count, 0);
    if (waiting <= unreadable.size) return { resealed, unreadable: [...unreadable] };
    const progress = progressOf(waiting, store.label, say);
    for (const [keyId] of others) {
      resealed += await resealKey(store, keyring, keyId, { unreadable, progress });
    }
  }
  throw new Error(`After ${MAX_PASSES} passes there are still ${store.label} under another key.`);
}

interface KeyPass {
  readonly unreadable: Set<string>;
  readonly progress: (resealed: number) => void;
}

async function resealKey(
  store: SealedStore,
  keyring: Keyring,
  keyId: string,
  { unreadable, progress }: KeyPass,
): Promise<number> {
  let resealed = 0;
  let after: string | undefined;
  // Terminates: every batch starts after the previous one.
  for (;;) {
    const batch = await store.resealBatch(keyring, keyId, { after, rows: BATCH_ROWS });
    for (const id of batch.unreadable) unreadable.add(id);
    resealed += batch.resealed;
    if (batch.last === undefined) return resealed;
    after = batch.last;
    progress(batch.resealed);
  }
}

/** One line per second, and one at the end. */
function progressOf(total: number, label: string, say: (line: string) => void): (resealed: number) => void {
  const startedAt = performance.now();
  let saidAt = startedAt;
  let done = 0;
  return (resealed) => {
    done += resealed;
    const nowMs = performance.now();
    if (done < total && nowMs - saidAt < PROGRESS_INTERVAL_MS) return;
    saidAt = nowMs;
    const perSecond = Math.round(done / Math.max((nowMs - startedAt) / 1_000, 0.001));
    say(`${done} of ${total} ${label} are sealed anew (${perSecond}/s).`);
  };
}
