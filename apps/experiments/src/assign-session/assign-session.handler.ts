import { Inject, Injectable } from '@nestjs/common';
import { decodeAssignSession } from '@truetally/contracts/experiments';
import { type BatchOutcome, type IncomingRequest, UnreadableError } from '@truetally/messaging';
import { OutboxRelay } from '@truetally/persistence';
import { whileAvailable } from '@truetally/service';
import type { AssignRequest } from '../domain/decide-assignments.js';
import { AssignmentStore } from '../storage/assignment.store.js';

/** Assigns what one transaction holds, and answers each request. */
@Injectable()
export class AssignSessionHandler {
  constructor(
    @Inject(AssignmentStore) private readonly assignments: AssignmentStore,
    @Inject(OutboxRelay) private readonly relay: OutboxRelay,
  ) {}

  async handle(requests: readonly IncomingRequest[]): Promise<readonly BatchOutcome[]> {
    const placed = requests.map(place);
    const { answers, added } = await whileAvailable(() => this.assignments.assign(placed));
    if (added > 0) this.relay.wake();
    return answers.map((answer) => ({ reply: { ok: answer } }));
  }
}

/** @throws UnreadableError for a message that is none of ours; the bus sets it aside */
function place({ value, partition, offset }: IncomingRequest): AssignRequest {
  const request = decodeAssignSession(value);
  if (!request.ok) throw new UnreadableError(request.error);
  return { request: request.value, place: { partition, offset } };
}
