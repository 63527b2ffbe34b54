import { randomUUID } from 'node:crypto';
import { Messaging, type MessagingLog } from '@truetally/messaging';

/** What a client beside the product logs says nothing about the product. */
const SILENT: MessagingLog = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** A started client of the product's Kafka, under a name of its own; to be closed. */
export async function openMessaging(
  kafkaBrokers: string,
  topicPrefix: string,
  clientId: string,
): Promise<Messaging> {
  const messaging = new Messaging({
    brokers: kafkaBrokers.split(','),
    clientId,
    instance: `${clientId}-${randomUUID()}`,
    topicPrefix,
    log: SILENT,
  });
  await messaging.start();
  return messaging;
}
