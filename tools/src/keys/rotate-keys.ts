import { setTimeout as delay } from 'node:timers/promises';
import { COMMAND_AGE_LIMIT_DAYS, DAY_MS, DEAD_LETTER_GONE_DAYS } from '@truetally/kernel';
import {
  endRotation,
  Keyring,
  type KeyringContent,
  newKey,
  promoteKey,
  readKeyringFile,
  retirableKeys,
  retireKeys,
  stageKey,
  writeKeyringFile,
} from '@truetally/keyring';
import { resealStore } from './reseal-store.js';
import type { SealedStore } from './sealed-values.js';

export interface RotationOptions {
  readonly keyringFile: string;
  /** How long every process needs to have read a changed keyring. */
  readonly settleMs: number;
  readonly nowMs: () => number;
  readonly say: (line: string) => void;
}

/**
 * A sealed value may wait in a request, and then in a dead letter, with the key of that time. After this time,
 * neither topic contains it any more.
 */
export const KEEP_MS = (COMMAND_AGE_LIMIT_DAYS + DEAD_LETTER_GONE_DAYS) * DAY_MS;
const SHOWN_IDS = 5;

/**
 * Rotates to a new key and reseals every stored value, or completes an interrupted rotation. Returns the
 * number of values that no key opens.
 */
export async function rotateKeys(stores: readonly SealedStore[], options: RotationOptions): Promise<number> {
  const { keyringFile, settleMs, nowMs, say } = options;
  const before = readKeyringFile(keyringFile);
  let content = before.rotating_to === undefined ? stage(before, options) : before;
  const isStaged = content.current !== content.rotating_to;
  if (before === content) say(`The rotation to key ${content.rotating_to} was interrupted; it goes on.`);
  if (isStaged) {
    say(`Key ${content.rotating_to} is in the ring; ${settleMs / 1_000} s for every process to read it.`);
    await delay(settleMs);
    content = promoteKey(content, nowMs());
    writeKeyringFile(keyringFile, content);
  }
  say(`Key ${content.current} seals from now on; ${settleMs / 1_000} s for every process to read that.`);
  await delay(settleMs);
  const unreadable = await resealAll(stores, content, options);
  writeKeyringFile(keyringFile, endRotation(content));
  const others = Object.keys(content.keys).filter((id) => id !== content.current);
  say(
    `Done. Older keys in the ring: ${others.join(', ') || 'none'}. Retire them with --retire when they are due.`,
  );
  return unreadable;
}

function stage(content: KeyringContent, { keyringFile, nowMs }: RotationOptions): KeyringContent {
  const staged = stageKey(content, newKey(nowMs()));
  if (!staged.ok) throw new Error(`No key is added: ${staged.error}.`);
  writeKeyringFile(keyringFile, staged.value);
  return staged.value;
}

/**
 * Removes keys that seal no value in any table or topic.
 * @returns the number of values that no key opens
 */
export async function retireOldKeys(
  stores: readonly SealedStore[],
  options: RotationOptions,
): Promise<number> {
  const { keyringFile, nowMs, say } = options;
  const content = readKeyringFile(keyringFile);
  if (content.rotating_to !== undefined) {
    throw new Error('A rotation was interrupted: run keys:rotate without --retire first.');
  }
  // Values that arrived late, sealed with an old key.
  const unreadable = await resealAll(stores, content, options);
  const held = new Set<string>();
  for (const store of stores) for (const keyId of (await store.countByKey()).keys()) held.add(keyId);
  const isTold = await haveTold(stores, options);
  const due = retirableKeys(content, nowMs(), KEEP_MS);
  const unused = isTold ? due.filter((id) => !held.has(id)) : [];
  if (unused.length > 0) writeKeyringFile(keyringFile, retireKeys(content, unused));
  say(`Retired: ${unused.join(', ') || 'no key'}.`);
  for (const [id, at] of Object.entries(content.superseded ?? {})) {
    if (unused.includes(id)) continue;
    const dueAt = new Date(Date.parse(at) + KEEP_MS).toISOString();
    if (held.has(id)) say(`Key ${id} stays: values are still sealed with it.`);
    else say(`Key ${id} stays: ${due.includes(id) ? 'run this again later' : `due from ${dueAt} on`}.`);
  }
  return unreadable;
}

/** Whether all who read these values outside of their tables can know what was sealed anew. */
async function haveTold(
  stores: readonly SealedStore[],
  { say }: Pick<RotationOptions, 'say'>,
): Promise<boolean> {
  let waiting = 0;
  for (const { label, untold } of stores) {
    const facts = (await untold?.()) ?? 0;
    waiting += facts;
    if (facts > 0) say(`${facts} facts of ${label} wait to be published: until then no key is retired.`);
  }
  return waiting === 0;
}

async function resealAll(
  stores: readonly SealedStore[],
  content: KeyringContent,
  { say }: Pick<RotationOptions, 'say'>,
): Promise<number> {
  let left = 0;
  for (const store of stores) {
    const { label } = store;
    const { resealed, unreadable } = await resealStore(store, new Keyring(content), say);
    say(`${resealed} ${label} were sealed anew; all that can be opened are under key ${content.current}.`);
    left += unreadable.length;
    if (unreadable.length === 0) continue;
    const shown = unreadable.slice(0, SHOWN_IDS).join(', ');
    say(`${unreadable.length} ${label} cannot be opened and stay as they are: ${shown} …`);
  }
  return left;
}
