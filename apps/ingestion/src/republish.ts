import { TOPICS } from '@truetally/contracts/topics';
import { Messaging } from '@truetally/messaging';
import { kafkaSecurityOf } from '@truetally/platform';
import { type Republisher, runRepublish } from '@truetally/service';
import { readRepublishConfig } from './config.js';
import { type Republishing, republishClicks, republishEvents } from './republish-events/republish-events.js';

const config = readRepublishConfig();
await runRepublish('ingestion', config, {
  events: published(TOPICS.eventsStored, republishEvents),
  clicks: published(TOPICS.clicksStored, republishClicks),
});

function published(
  topic: (typeof TOPICS)['clicksStored' | 'eventsStored'],
  republish: (options: Republishing) => Promise<number>,
): Republisher {
  return async (asked) => {
    const messaging = new Messaging({
      brokers: config.KAFKA_BROKERS,
      clientId: 'ingestion-republish',
      instance: `${config.INSTANCE_ID}-republish`,
      topicPrefix: config.KAFKA_TOPIC_PREFIX,
      requireReplication: config.KAFKA_REQUIRE_REPLICATION,
      security: kafkaSecurityOf(config),
      log: asked.log,
    });
    try {
      await messaging.start();
      await messaging.ensureTopics([topic]);
      return await republish({ ...asked, messaging });
    } finally {
      await messaging.close();
    }
  };
}
