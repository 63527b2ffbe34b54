import type { Answer } from '@truetally/testing';

/** A gateway waits ten seconds for a service before it answers 503; what it refuses itself, it refuses at once. */
const WAITED_MS = 9_500;
const MOST_TRIES = 20;
const UNAVAILABLE = 503;

/**
 * The status of an answer. Where the gateway has waited for its service in vain, it is asked again: a busy machine starves services.
 * @param send sends something new each time: what was answered too late may have been done
 */
export async function statusUnlessStarved(send: () => Promise<Answer<unknown>>): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const sentMs = performance.now();
    const { status } = await send();
    const isStarved = status === UNAVAILABLE && performance.now() - sentMs >= WAITED_MS;
    if (!isStarved || tries === MOST_TRIES) return status;
  }
}
