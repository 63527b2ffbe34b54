import { randomUUID } from 'node:crypto';
import { type KafkaSecurity, Messaging, type MessagingLog } from '@truetally/messaging';

/** Log lines of a client outside of the product are irrelevant. */
const SILENT: MessagingLog = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** A started client of the product's Kafka, under a name of its own; the caller closes it. */
export async function openMessaging(
  kafkaBrokers: string,
  topicPrefix: string,
  clientId: string,
  security: KafkaSecurity = {},
): Promise<Messaging> {
  const messaging = new Messaging({
    brokers: kafkaBrokers.split(','),
    clientId,
    instance: `${clientId}-${randomUUID()}`,
    topicPrefix,
    log: SILENT,
    security,
  });
  await messaging.start();
  return messaging;
}
