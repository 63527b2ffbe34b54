import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { READ_WITHHELD, type ReadWithheld } from '@truetally/contracts/experiments';
import { TOPICS } from '@truetally/contracts/topics';
import { type BatchOutcome, BatchPattern, type IncomingRequest, UnreadableError } from '@truetally/messaging';
import { whileAvailable } from '@truetally/service';
import { WithheldStore } from '../storage/withheld.store.js';

/** Queries per statement, concurrent statements, and queries fetched and not answered. */
const LIMITS = { rows: 256, transactions: 2, unstored: 4_096 };

@Controller()
export class ReadWithheldConsumer {
  constructor(private readonly withheld: WithheldStore) {}

  @BatchPattern(TOPICS.readWithheld.name, LIMITS)
  async readWithheld(@Payload() requests: readonly IncomingRequest[]): Promise<readonly BatchOutcome[]> {
    const questions = requests.map(questionOf);
    const answers = await whileAvailable(() => this.withheld.find(questions));
    return answers.map((campaign_ids) => ({ reply: { ok: { campaign_ids } } }));
  }
}

/** @throws UnreadableError for an invalid message; the bus dead-letters it */
function questionOf({ value }: IncomingRequest): ReadWithheld {
  const question = READ_WITHHELD.parse(value);
  if (!question.ok) throw new UnreadableError(question.error);
  return question.value;
}
