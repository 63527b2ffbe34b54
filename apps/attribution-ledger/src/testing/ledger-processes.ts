import { randomUUID } from 'node:crypto';
import {
  type CommissionRuleFields,
  type ConversionAccepted,
  type ConversionCommand,
  MAX_ORDER_ENTRIES,
  type OrderResource,
  type RecordTouches,
} from '@truetally/contracts/attribution';
import type { SitePageQuery } from '@truetally/contracts/resource';
import { OPERATIONS, TOPICS } from '@truetally/contracts/topics';
import type { Reply } from '@truetally/kernel';
import {
  KafkaAskClient,
  Messaging,
  OperationAsker,
  type ReceivedFact,
  subscribe,
} from '@truetally/messaging';
import { type LocalService, spawnService, testStack, testTopicPrefix } from '@truetally/testing';
import { SMALL_TOPICS } from '@truetally/testing-product';
import { itemOf } from './commands.js';
import { OWNER } from './ledger-database.js';

interface Copy {
  readonly correlationId?: string;
}

/** Replicas of the service as processes, and a client that asks like the gateway. */
export interface LedgerProcesses {
  /** Every received fact, in order, with repetitions. */
  readonly facts: readonly ReceivedFact[];
  startReplica(): Promise<LocalService>;
  /** @param copy names the message: two of one correlation id are copies. */
  convert(siteId: string, command: ConversionCommand, copy?: Copy): Promise<Reply<ConversionAccepted>>;
  recordTouches(request: Omit<RecordTouches, 'request_id'>, copy?: Copy): Promise<Reply<unknown>>;
  createRule(rule: CommissionRuleFields): Promise<Reply<unknown>>;
  /** The page that begins at the cursor; without one the first. */
  readOrder(siteId: string, orderId: string, cursor?: string): Promise<Reply<OrderResource>>;
  listTouches(question: SitePageQuery): Promise<Reply<unknown>>;
  close(): Promise<void>;
}

const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const ASK_DEADLINE_MS = 40_000;

/** @param database the service's own role and schema */
export async function openLedgerProcesses(database: {
  readonly url: string;
  readonly schema: string;
}): Promise<LedgerProcesses> {
  const topicPrefix = testTopicPrefix();
  const brokers = testStack().kafkaBrokers;
  const facts: ReceivedFact[] = [];
  const services: LocalService[] = [];
  const instance = `test-${randomUUID()}`;
  const messaging = new Messaging({
    brokers: [brokers],
    clientId: 'test',
    instance,
    topicPrefix,
    log: SILENT,
  });
  await messaging.start();
  await messaging.ensureTopics(SMALL_TOPICS);
  const client = new KafkaAskClient(messaging, { deadlineMs: ASK_DEADLINE_MS });
  await client.connect();
  const observer = await subscribe(messaging, {
    topics: [TOPICS.conversionsRecorded.name, TOPICS.touchesRecorded.name, TOPICS.ledgerSealed.name],
    group: 'observer',
    handler: (received) => Promise.resolve(void facts.push(...received)),
  });
  const asker = new OperationAsker(client, 'gateway');
  return {
    facts,
    startReplica: async () => {
      const service = await spawnService({
        app: 'attribution-ledger',
        env: {
          KAFKA_BROKERS: brokers,
          KAFKA_TOPIC_PREFIX: topicPrefix,
          DATABASE_URL: database.url,
          DATABASE_SCHEMA: database.schema,
        },
      });
      services.push(service);
      return service;
    },
    convert: (siteId, command, copy) =>
      asker.ask(OPERATIONS.recordConversion, itemOf(siteId, command).request, copy),
    recordTouches: (request, copy) =>
      asker.ask(OPERATIONS.recordTouches, { ...request, request_id: randomUUID() }, copy),
    createRule: (rule) =>
      asker.ask(OPERATIONS.createCommissionRule, {
        ...rule,
        request_id: randomUUID(),
        workspace_id: OWNER.workspaceId,
        actor: OWNER.actor,
      }),
    readOrder: (siteId, orderId, cursor) =>
      asker.ask(OPERATIONS.readOrder, {
        site_id: siteId,
        order_id: orderId,
        limit: MAX_ORDER_ENTRIES,
        cursor: cursor ?? null,
      }),
    listTouches: (question) => asker.ask(OPERATIONS.listTouches, question),
    close: async () => {
      await Promise.all(services.filter(({ isRunning }) => isRunning).map((service) => service.stop()));
      await observer.close();
      await client.close();
      await messaging.close();
    },
  };
}

/** What was accepted. */
export function accepted<T>(reply: Reply<T>): T {
  if ('error' in reply) throw new Error(`${reply.error.code}: ${JSON.stringify(reply.error.details)}`);
  return reply.ok;
}

function nothing(): void {
  // Kafka's warnings after kills are expected.
}
