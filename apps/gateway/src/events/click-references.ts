import {
  referenceMatchFields,
  referenceSealContext,
  type SealedReference,
} from '@truetally/contracts/publisher';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type Failure, failure } from '@truetally/kernel';
import type { KeyringFile } from '@truetally/keyring';
import { withinTime } from '@truetally/platform';
import type { Asker } from '../ask/ask.js';
import type { SiteDirectory } from '../credentials/site-directory.js';
import type { Exchange } from '../http/exchange.js';
import type { PreparedEvent } from './prepare-event.js';

/** Timeout of a reply. */
const TIMEOUT_MS = 10_000;

/**
 * Separates click references from their events: they are sealed and sent to the matching service on their own
 * topic (docs/decisions/click-reference.md). Sites outside of active publisher mode have none stored.
 */
export class ClickReferences {
  constructor(
    private readonly asker: Pick<Asker, 'tell'>,
    private readonly keys: Pick<KeyringFile, 'keyring'>,
    private readonly sites: Pick<SiteDirectory, 'find'>,
  ) {}

  /** Of each event; undefined where there is nothing to send. */
  seal(siteId: string, events: readonly PreparedEvent[]): readonly (SealedReference | undefined)[] {
    if (this.sites.find(siteId)?.publisherMode !== 'active') return [];
    return events.map((event) => this.sealOne(siteId, event));
  }

  /** @returns the failure that kept them from being stored, if any */
  send(
    exchange: Exchange,
    siteId: string,
    references: readonly SealedReference[],
  ): Promise<Failure | undefined> {
    const told = this.asker.tell(OPERATIONS.recordReferences, { site_id: siteId, references }, exchange).then(
      () => undefined,
      () => AWAY,
    );
    return withinTime(told, TIMEOUT_MS, AWAY);
  }

  private sealOne(siteId: string, { eventId, clickReference }: PreparedEvent): SealedReference | undefined {
    if (clickReference === null) return undefined;
    const { keyring } = this.keys;
    const { keyId, sealed } = keyring.seal(clickReference, referenceSealContext(siteId, eventId));
    const hash = keyring.match(referenceMatchFields(siteId, clickReference));
    return { event_id: eventId, key_id: keyId, sealed: sealed.toString('base64'), hash };
  }
}

const AWAY: Failure = failure('UNAVAILABLE', 'Click references cannot be kept at the moment.').error;
