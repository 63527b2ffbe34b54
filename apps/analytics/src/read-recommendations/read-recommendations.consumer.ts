import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { READ_RECOMMENDATIONS, type RecommendationStrategy } from '@truetally/contracts/analytics';
import { TOPICS } from '@truetally/contracts/topics';
import { type BatchOutcome, BatchPattern, type IncomingRequest, UnreadableError } from '@truetally/messaging';
import { whileAvailable } from '@truetally/service';
import type { NeighbourKind } from '../domain/basket.js';
import { sessionKeyOf } from '../domain/keys.js';
import { type ProductQuestion, RecommendationReads } from '../storage/recommendation-reads.js';

/** Queries per statement, concurrent statements, and queries fetched and not answered. */
const LIMITS = { rows: 128, transactions: 2, unstored: 4_096 };
const KINDS: Readonly<Record<RecommendationStrategy, NeighbourKind | null>> = {
  co_purchase: 'purchase',
  co_view: 'view',
  popular: null,
};

@Controller()
export class ReadRecommendationsConsumer {
  constructor(private readonly reads: RecommendationReads) {}

  @BatchPattern(TOPICS.readRecommendations.name, LIMITS)
  async readRecommendations(
    @Payload() requests: readonly IncomingRequest[],
  ): Promise<readonly BatchOutcome[]> {
    const questions = requests.map(questionOf);
    const answers = await whileAvailable(() => this.reads.find(questions));
    return answers.map((found) => ({ reply: { ok: found } }));
  }
}

/** @throws UnreadableError for an invalid message; the bus dead-letters it */
function questionOf({ value }: IncomingRequest): ProductQuestion {
  const question = READ_RECOMMENDATIONS.parse(value);
  if (!question.ok) throw new UnreadableError(question.error);
  const { site_id: siteId, session_id: sessionId, product_id: productId, strategy } = question.value;
  const withPopular = question.value.with_popular;
  const sessionKey = sessionId === null ? null : sessionKeyOf(siteId, sessionId);
  return { siteId, sessionKey, productId, kind: KINDS[strategy], withPopular };
}
