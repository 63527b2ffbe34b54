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
import { isStampedByBroker, repliesOf } from '../wire.js';

/** One topic per asking process, so that no rebalance separates an asker from its replies. */
export class ReplyTopic {
  /** Without prefix. */
  readonly name: string;
  private readonly reader: TopicReader;

  constructor(
    private readonly messaging: Messaging,
    onReply: (correlationId: string, reply: string) => void,
  ) {
    this.name = REPLIES_PREFIX + messaging.options.instance;
    const spec: TopicSpec = {
      name: this.name,
      partitions: REPLY_TOPIC_PARTITIONS,
      config: {
        'retention.ms': String(REPLY_RETENTION_MS),
        'segment.ms': String(REPLY_SEGMENT_MS),
        'max.message.bytes': String(REPLY_BYTES),
        // If a reply is lost, a retry finds its first outcome.
        'min.insync.replicas': '1',
        // The asker measures its clock skew to the broker by it.
        'message.timestamp.type': 'LogAppendTime',
      },
    };
    this.reader = new TopicReader(messaging, {
      group: this.name,
      // A janitor may have removed it, if this process seemed dead.
      prepare: (signal) => messaging.ensureTopics([spec], signal),
      feeds: [
        {
          topic: this.name,
          onMessages: (_partition, messages) => {
            for (const message of messages) {
              if (isStampedByBroker(message)) messaging.clock.observe(Number(message.timestamp));
              const texts = repliesOf(message);
              for (let at = 1; at < texts.length; at += 2) onReply(texts[at - 1] ?? '', texts[at] ?? '');
            }
          },
        },
      ],
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
