import { ASSIGN_SESSION } from '@truetally/contracts/experiments';
import { type BatchOutcome, type IncomingRequest, placedRequest } from '@truetally/messaging';
import type { OutboxRelay } from '@truetally/persistence';
import { whileAvailable } from '@truetally/service';
import type { AssignmentStore } from '../storage/assignment.store.js';

/** Assigns the sessions of one transaction, and answers each request. */
export class AssignSessionHandler {
  constructor(
    private readonly assignments: AssignmentStore,
    private readonly relay: OutboxRelay,
  ) {}

  async handle(requests: readonly IncomingRequest[]): Promise<readonly BatchOutcome[]> {
    const placed = requests.map((one) => placedRequest(one, ASSIGN_SESSION.parse, 'assign a session'));
    const { answers, added } = await whileAvailable(() => this.assignments.assign(placed));
    if (added > 0) this.relay.wake();
    return answers.map((answer) => ({ reply: { ok: answer } }));
  }
}
