import { BACKOFF_BASE_MS, URL_CHARACTERS, KNOWN_CLICKS, MAX_TOUCH_ATTEMPTS, TOUCHED } from './limits.js';
import { LANDING, type Tools } from './client.js';

/** The parameter that each network adds to the address of a landing (docs/networks.md). */
const PARAMETERS = { awin: 'awc', cj: 'cjevent' } as const;

/**
 * Sends the touches of stored landings, each click once. A landing stays stored until the service has answered for it.
 * @param isEnded asked before each request
 * @returns after the first attempt; further ones go on by themselves
 */
export async function sendTouches(tools: Tools, isEnded: () => boolean, attempt = 1): Promise<void> {
  const { store, prefix, platform, sender } = tools;
  let isWaiting = false;
  // Two tabs must not make two touches of one click.
  await platform.withLock(`${prefix}touches`, async () => {
    for (const key of store.keys(prefix + LANDING)) {
      if (!isEnded() && (await sendTouch(tools, key))) isWaiting = true;
    }
  });
  if (isWaiting && attempt < MAX_TOUCH_ATTEMPTS) {
    const delayMs = platform.random() * BACKOFF_BASE_MS * 2 ** attempt;
    platform.setTimer(
      () => void (isEnded() || sendTouches(tools, isEnded, attempt + 1)),
      Math.max(delayMs, sender.pausedUntil() - platform.now()),
    );
  }
}

/** @returns whether it is worth another attempt */
async function sendTouch(tools: Tools, key: string): Promise<boolean> {
  const { store, prefix, platform, visitor, sender } = tools;
  const { searchParams, pathname } = new URL(key.slice(prefix.length + LANDING.length));
  const click = Object.entries(PARAMETERS)
    .map(([provider, parameter]) => ({ provider, value: searchParams.get(parameter) }))
    .find(({ value }) => value);
  const clicksKey = `${prefix}clicks`;
  const clicks = store.get(clicksKey)?.split(' ') ?? [];
  const mark = `${click?.provider}.${digestOf(click?.value ?? '')}`;
  if (click === undefined || clicks.includes(mark)) {
    store.remove(key);
    return false;
  }
  const { reply } = await sender.ask('/partner-attribution/touches', () => {
    const known = store.get(key) ?? '';
    const touch = known.startsWith('{')
      ? known
      : platform.toJson({
          schema_version: 1,
          touch_id: platform.newId(),
          provider: click.provider,
          direction: 'inbound',
          provider_click_id: click.value,
          landing_path: pathname.slice(0, URL_CHARACTERS),
          occurred_at: new Date(Number(known) + sender.serverAheadMs()).toISOString(),
          provenance: 'browser_sdk',
          session_id: visitor.identity().session_id,
        });
    // Written once: another attempt must be the same touch.
    store.set(key, touch);
    return `{"touches":[${touch}]}`;
  });
  if (reply === undefined) return false;
  const { status } = reply;
  if (status === 401) store.remove(`${prefix}token`);
  if (status === 0 || status === 401 || status === 429 || status >= 500) return true;
  store.remove(key);
  store.set(clicksKey, [...clicks, mark].slice(-KNOWN_CLICKS).join(' '));
  if (status < 300) store.set(prefix + TOUCHED, String(platform.now()));
  else sender.refused(reply);
  return false;
}

const DIGEST_SEED = 5381;
const DIGEST_FACTOR = 33;

/** Of a click value, which need not be kept once its touch is recorded. Two equal ones would cost one touch. */
function digestOf(text: string): string {
  let one = DIGEST_SEED;
  let other = 0;
  for (const character of text) {
    one = Math.imul(one, DIGEST_FACTOR) ^ (character.codePointAt(0) ?? 0);
    other = Math.imul(other ^ one, DIGEST_SEED);
  }
  return `${(one >>> 0).toString(36)}${(other >>> 0).toString(36)}`;
}
