import { TOPICS } from '@truetally/contracts/topics';
import type { Messaging } from '@truetally/messaging';
import type { Logger } from '@truetally/platform';
import type { Exchange } from '../http/exchange.js';
import { answer, refuse } from '../http/respond.js';

/**
 * The groups that serve requests: how far they are behind is how long a client waits. A hot topic has a group of its
 * own, named after its service and itself.
 */
const SERVING_GROUPS = ['ingestion', `ingestion.${TOPICS.storeEvents.name}`, 'management'] as const;

/** `{ items: [ { group, topic, partition, lag } ] }` (interface page, section 11). */
export class ConsumerLagReader {
  constructor(
    private readonly messaging: Pick<Messaging, 'lag'>,
    private readonly log: Logger,
  ) {}

  async read(exchange: Exchange): Promise<void> {
    try {
      const items = await this.messaging.lag(SERVING_GROUPS);
      answer(exchange, 200, JSON.stringify({ items, next_cursor: null }));
    } catch (error) {
      this.log.warn(
        { err: error, request_id: exchange.requestId },
        'Kafka did not say how far consumers are.',
      );
      refuse(exchange, 'unavailable');
    }
  }
}
