import { BACKOFF_BASE_MS, URL_CHARACTERS, MAX_TOUCH_ATTEMPTS, TOUCHED } from './limits.js';
import { LANDING, TOUCH_IDS, type Tools } from './client.js';
import { REFUSED, RESULTS, TOKEN } from './judge-answer.js';
import { remember } from './known-ids.js';
import { NETWORKS } from './networks.js';

/** Key of the clicks that are answered, as digests. */
const CLICKS = 'clicks';

/**
 * Sends the touches of stored landings, each click once. A landing stays stored until the service has answered for it.
 * @returns after the first attempt; further ones go on by themselves
 */
export async function sendTouches(tools: Tools, attempt = 1): Promise<void> {
  const { store, prefix, platform, sender } = tools;
  let isWaiting = false;
  // Two tabs must not make two touches of one click.
  await platform.withLock(`${prefix}touches`, async () => {
    for (const key of store.keysWith(LANDING)) {
      if (sender.ended.aborted) return;
      // Of what a script of the page may have written there is perhaps no touch: it keeps no other one back.
      if (await sendTouch(tools, key).catch(() => false)) isWaiting = true;
    }
  });
  if (isWaiting && attempt < MAX_TOUCH_ATTEMPTS)
    platform.setTimer(
      () => void sendTouches(tools, attempt + 1),
      Math.max(platform.chance() * BACKOFF_BASE_MS * 2 ** attempt, sender.pausedUntil() - platform.clock()),
    );
}

/** @returns whether it is worth another attempt */
async function sendTouch(tools: Tools, key: string): Promise<boolean> {
  const { store, platform, visitor, sender } = tools;
  const { searchParams, pathname } = new URL(key.slice(LANDING.length));
  const [provider, , parameter = ''] = NETWORKS.find(([, , name]) => searchParams.get(name)) ?? [];
  const value = searchParams.get(parameter) ?? '';
  const mark = digestOf(value);
  if (!value || store.wordsOf(CLICKS).includes(mark)) {
    store.forget(key);
    return false;
  }
  const { reply, verdict } = await sender.ask('/partner-attribution/touches', () => {
    const known = store.read(key) ?? '';
    const touch =
      known[0] === '{'
        ? known
        : platform.toJson({
            touch_id: platform.newId(),
            schema_version: 1,
            provider,
            direction: 'inbound',
            provider_click_id: value,
            landing_path: pathname.slice(0, URL_CHARACTERS),
            occurred_at: new Date(Number(known) + sender.serverAheadMs()).toISOString(),
            provenance: 'browser_sdk',
            session_id: visitor.identity().session_id,
          });
    // Written once: another attempt must be the same touch.
    store.write(key, touch);
    return `{"touches":[${touch}]}`;
  });
  if (!reply) return false;
  if (verdict.kind >= TOKEN) return true;
  if (verdict.kind !== RESULTS) sender.refused(reply);
  else {
    remember(tools, TOUCH_IDS, store.read(key)?.split('"')[3] ?? '');
    store.write(TOUCHED, String(platform.clock()));
  }
  // What is refused whatever is sent says nothing about the touch: the next visit sends it.
  if (verdict.kind !== REFUSED) {
    store.forget(key);
    remember(tools, CLICKS, mark);
  }
  return false;
}

const DIGEST_FACTOR = 33;

/** Of a click value, which need not be kept once its touch is recorded. Two equal ones would cost one touch. */
function digestOf(text: string): string {
  return String(
    [...text].reduce((digest, character) => (digest * DIGEST_FACTOR) ^ character.charCodeAt(0), 0),
  );
}
