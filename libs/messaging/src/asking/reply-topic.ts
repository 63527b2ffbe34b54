import { TopicReader } from '../consuming/topic-reader.js';
import {
  REPLIES_PREFIX,
  REPLY_BYTES,
  REPLY_RETENTION_MS,
  REPLY_SEGMENT_MS,
  REPLY_TOPIC_PARTITIONS,
} from '../limits.js';
import { type Messaging } from '../messaging.js';
import { type TopicSpec } from '../topics.js';
import { isStampedByBroker } from '../wire.js';

/** One topic per asking process, so that no rebalance ever parts an asker from its replies. */
export class ReplyTopic {
  /** Without prefix. */
  readonly name: string;
  private readonly reader: TopicReader;

  constructor(
    private readonly messaging: Messaging,
    onReply: (correlationId: string, value: Buffer) => void,
  ) {
    this.name = REPLIES_PREFIX + messaging.options.instance;
    const spec: TopicSpec = {
      name: this.name,
      partitions: REPLY_TOPIC_PARTITIONS,
      config: {
        'retention.ms': String(REPLY_RETENTION_MS),
        'segment.ms': String(REPLY_SEGMENT_MS),
        'max.message.bytes': String(REPLY_BYTES),
        // A lost reply is a retry that finds its first outcome.
        'min.insync.replicas': '1',
        // By which the asker learns how far its clock is from the broker's.
        'message.timestamp.type': 'LogAppendTime',
      },
    };
    this.reader = new TopicReader(messaging, {
      topic: this.name,
      group: this.name,
      // A janitor that took this process for dead may have removed it.
      prepare: (signal) => messaging.ensureTopics([spec], signal),
      onMessages: (_partition, messages) => {
        for (const message of messages) {
          const { key, value } = message;
          if (isStampedByBroker(message)) messaging.clock.observe(Number(message.timestamp));
          if (key !== null && value !== null) onReply(key.toString(), value);
        }
      },
    });
  }

  open(): Promise<void> {
    return this.reader.start();
  }

  isFollowing(): boolean {
    return this.reader.isFollowing();
  }

  async close(): Promise<void> {
    await this.reader.stop();
    await this.messaging.administer((admin) =>
      admin.deleteTopics({ topics: [this.messaging.prefixed(this.name)] }),
    );
  }
}
