import type { Messaging, TopicDescription } from '@truetally/messaging';
import type { Logger } from '@truetally/platform';
import type { Exchange } from '../http/exchange.js';
import { answer, refuse } from '../http/respond.js';

/**
 * Every topic of the installation on the brokers: `{ items: [ { topic, partitions, replication_factor,
 * min_insync_replicas, under_replicated_partitions, config } ] }`, where `config` is the topic's own
 * configuration beside the brokers' defaults (interface page, section 11).
 */
export class TopicReader {
  constructor(
    private readonly messaging: Pick<Messaging, 'topics'>,
    private readonly log: Logger,
  ) {}

  async read(exchange: Exchange): Promise<void> {
    let topics: readonly TopicDescription[];
    try {
      topics = await this.messaging.topics();
    } catch (error) {
      this.log.warn({ err: error, request_id: exchange.requestId }, 'Kafka did not describe its topics.');
      refuse(exchange, 'unavailable');
      return;
    }
    answer(exchange, 200, JSON.stringify({ items: topics.map(toItem), next_cursor: null }));
  }
}

function toItem(topic: TopicDescription) {
  return {
    topic: topic.name,
    partitions: topic.partitions,
    replication_factor: topic.replicationFactor,
    min_insync_replicas: topic.minInsyncReplicas,
    under_replicated_partitions: topic.underReplicatedPartitions,
    config: topic.config,
  };
}
