import { decodeRecordTouches, type RecordTouchesReply } from '@truetally/contracts/attribution';
import { type BatchOutcome, type IncomingRequest, placedRequest } from '@truetally/messaging';
import type { OutboxRelay } from '@truetally/persistence';
import { whileAvailable } from '@truetally/service';
import type { TouchesOutcome } from '../domain/decide-touches.js';
import { toMilliseconds } from '../domain/instants.js';
import type { TouchStore } from '../storage/touch.store.js';

/** Stores the touches of one transaction, and answers each request. */
export class RecordTouchesHandler {
  constructor(
    private readonly touches: TouchStore,
    private readonly relay: OutboxRelay,
  ) {}

  async handle(requests: readonly IncomingRequest[]): Promise<readonly BatchOutcome[]> {
    const placed = requests.map((one) => placedRequest(one, decodeRecordTouches, 'record touches'));
    const { outcomes, added } = await whileAvailable(() => this.touches.record(placed));
    if (added.length > 0) this.relay.wake();
    return outcomes.map((outcome) => ({ reply: replyTo(outcome) }));
  }
}

function replyTo(outcome: TouchesOutcome): RecordTouchesReply {
  if (outcome.kind === 'refused') return { error: outcome.failure };
  return {
    ok: {
      touches: outcome.touches.map(({ touchId, kept, isNew }) => ({
        touch_id: touchId,
        id: kept.id,
        status: isNew ? 'created' : 'unchanged',
        recorded_at: toMilliseconds(kept.recordedAt),
      })),
    },
  };
}
