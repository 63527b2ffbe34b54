import { decodeRecordConversion, type RecordConversionReply } from '@truetally/contracts/attribution';
import { type BatchOutcome, type IncomingRequest, placedRequest } from '@truetally/messaging';
import type { OutboxRelay } from '@truetally/persistence';
import { whileAvailable } from '@truetally/service';
import { acceptedOf } from '../domain/answers.js';
import type { GroupItem } from '../domain/decide-group.js';
import { type LedgerStore, type Recorded, type RecordedGroup } from '../storage/ledger.store.js';

/** Records the requests of one transaction, and answers each. */
export class RecordConversionHandler {
  constructor(
    private readonly ledger: LedgerStore,
    private readonly relay: OutboxRelay,
  ) {}

  async handle(requests: readonly IncomingRequest[]): Promise<readonly BatchOutcome[]> {
    const items = requests.map(itemOf);
    const group = await whileAvailable(() => this.ledger.record(items));
    if (group.sealed.size > 0) this.relay.wake();
    return group.outcomes.map((outcome) => ({ reply: replyTo(outcome, group) }));
  }
}

function itemOf(incoming: IncomingRequest): GroupItem {
  const { request, correlationId, place } = placedRequest(
    incoming,
    decodeRecordConversion,
    'record a conversion',
  );
  return { kind: 'command', request, place: { ...place, requestId: request.requestId }, correlationId };
}

function replyTo(outcome: Recorded, group: RecordedGroup): RecordConversionReply {
  switch (outcome.kind) {
    case 'accepted':
      return { ok: acceptedOf(outcome.sealed.fields, false) };
    case 'refused':
      return { error: outcome.failure };
    case 'replayed': {
      const { accepted, isFirst } = outcome;
      const fields = 'order' in accepted ? group.sealed.get(accepted.recordId)?.fields : accepted;
      if (fields === undefined) throw new Error('A replay of an entry that was not sealed.');
      return { ok: acceptedOf(fields, !isFirst) };
    }
    case 'idle':
      throw new Error('A command is never idle.');
  }
}
