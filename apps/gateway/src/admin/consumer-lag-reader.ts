import type { Messaging } from '@truetally/messaging';
import type { Logger } from '@truetally/platform';
import type { Exchange } from '../http/exchange.js';
import { answer, refuse } from '../http/respond.js';

/** `{ items: [ { group, topic, partition, lag } ] }` of every group that Kafka knows (interface page, section 11). */
export class ConsumerLagReader {
  constructor(
    private readonly messaging: Pick<Messaging, 'lag'>,
    private readonly log: Logger,
  ) {}

  async read(exchange: Exchange): Promise<void> {
    try {
      const lags = await this.messaging.lag();
      const items = lags.map(({ group, topic, partition, lag }) => ({ group, topic, partition, lag }));
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
