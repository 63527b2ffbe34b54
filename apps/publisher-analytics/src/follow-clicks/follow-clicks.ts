import { RECORD_REFERENCES } from '@truetally/contracts/publisher';
import { TOPICS } from '@truetally/contracts/topics';
import {
  type Messaging,
  type ReceivedFact,
  subscribe,
  type Subscription,
  UnreadableError,
} from '@truetally/messaging';
import type { ClickFact } from '../domain/report-changes.js';
import { whileAvailable } from '@truetally/service';
import type { ClickStore } from '../storage/click.store.js';
import type { ReferenceFact } from '../storage/parked-clicks.js';
import { readClick } from './read-click.js';

/** The group that stores clicks and their references. */
export const FOLLOWING = {
  group: 'publisher-analytics.follow-clicks',
  topics: [TOPICS.clicksStored.name, TOPICS.recordReferences.name],
};
/**
 * A transaction has the same costs for ten clicks as for a thousand, a click in a small one ten times as much as
 * in a large one: calls are large, and wait until there is something for them.
 */
const FACTS_PER_CALL = 4_000;
const GATHERED = { minBytes: 1_048_576, waitMs: 500 };

/**
 * Follows clicks and their references, each on its own topic: the fact of a stored click, and the reference
 * that the gateway sealed. The first one waits for the other in its table.
 */
export function followClicks(
  messaging: Messaging,
  clicks: ClickStore,
  onParked: () => void,
): Promise<Subscription> {
  return subscribe(messaging, {
    ...FOLLOWING,
    factsPerCall: FACTS_PER_CALL,
    gathered: GATHERED,
    handler: (facts) =>
      whileAvailable(async () => {
        if (await takeIn(clicks, facts)) onParked();
      }),
  });
}

/** @returns whether facts of a locked site are parked */
async function takeIn(store: ClickStore, facts: readonly ReceivedFact[]): Promise<boolean> {
  const clicks: ClickFact[] = [];
  const references: ReferenceFact[] = [];
  for (const { topic, value } of facts) {
    if (value === null) continue;
    if (topic === TOPICS.recordReferences.name) references.push(...referencesIn(value));
    else clicks.push(readClick(value));
  }
  return store.record({ clicks, references });
}

/** @throws UnreadableError for an invalid message; the bus dead-letters it */
function referencesIn(value: string): readonly ReferenceFact[] {
  const decoded = RECORD_REFERENCES.parse(value);
  if (!decoded.ok) throw new UnreadableError(`Not a request to record references: ${decoded.error}.`);
  const { site_id: siteId, references } = decoded.value;
  return references.map(({ event_id, hash, key_id, sealed }) => ({
    eventId: event_id,
    siteId,
    hash,
    keyId: key_id,
    sealed: Buffer.from(sealed, 'base64'),
  }));
}
