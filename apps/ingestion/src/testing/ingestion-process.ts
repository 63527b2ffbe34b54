import { randomUUID } from 'node:crypto';
import {
  encodeEventColumns,
  encodeTrackEvent,
  parseTrackEventReply,
  type AcceptedEvent,
  INGESTION,
  NO_REFUSALS,
} from '@truetally/contracts/events';
import type { ReconciledHour } from '@truetally/contracts/operations';
import type { Page } from '@truetally/contracts/resource';
import { topicsOf } from '@truetally/contracts/services';
import { OPERATIONS, TOPICS } from '@truetally/contracts/topics';
import type { Reply } from '@truetally/kernel';
import {
  KafkaAskClient,
  OperationAsker,
  Messaging,
  type ReceivedFact,
  subscribe,
} from '@truetally/messaging';
import { type LocalService, spawnService, testStack, testTopicPrefix } from '@truetally/testing';
import { Pauses } from '@truetally/testing-product';
import type { IngestionDatabase } from './ingestion-database.js';
import { anEvent } from './requests.js';

/** Replicas of the service as processes, and a client that asks like the gateway. */
export interface IngestionProcesses {
  /** How often each event was published, by its id. */
  readonly facts: ReadonlyMap<string, number>;
  /** @param env of this replica, beside that of all */
  startReplica(env?: Readonly<Record<string, string>>): Promise<LocalService>;
  ask: Ask;
  /** Another gateway, which starts now: it knows the partitions that there are now. */
  anotherGateway(options?: GatewayOptions): Promise<OneGateway>;
  /** @param siteId default: all sites */
  reconcile(siteId?: string): Promise<Page<ReconciledHour>>;
  /** Requests in the log that no replica has handled. */
  lag(): Promise<number>;
  close(): Promise<void>;
}

interface GatewayOptions {
  /** What it connects to instead of the broker itself: a proxy in front of it. */
  readonly brokers?: string;
  /** Whose events it asks about. Default: the site of the first gateway. */
  readonly siteId?: string;
}

interface OneGateway {
  readonly ask: Ask;
  close(): Promise<void>;
}

type Ask = (events: readonly AcceptedEvent[]) => Promise<Reply<unknown>>;

const SITE = randomUUID();
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };

export async function openIngestionProcesses(database: IngestionDatabase): Promise<IngestionProcesses> {
  const topicPrefix = testTopicPrefix();
  const brokers = testStack().kafkaBrokers;
  const facts = new Map<string, number>();
  const services: LocalService[] = [];
  const open = async (broker = brokers): Promise<{ messaging: Messaging; client: KafkaAskClient }> => {
    const messaging = new Messaging({
      brokers: [broker],
      clientId: 'ingestion-test',
      instance: `test-${randomUUID()}`,
      topicPrefix,
      log: SILENT,
    });
    await messaging.start();
    await messaging.ensureTopics(topicsOf(INGESTION));
    const client = new KafkaAskClient(messaging);
    await client.connect();
    return { messaging, client };
  };
  const first = await open();
  const { messaging, client } = first;
  const gateways = new Set([first]);
  const closeGateway = async (gateway: typeof first): Promise<void> => {
    gateways.delete(gateway);
    await gateway.client.close();
    await gateway.messaging.close();
  };
  const subscription = await subscribe(messaging, {
    topics: [TOPICS.eventsStored.name],
    group: 'observer',
    handler: (received: readonly ReceivedFact[]) => {
      for (const { value } of received) {
        const { event_id: id } = JSON.parse(value ?? '') as { event_id: string };
        facts.set(id, (facts.get(id) ?? 0) + 1);
      }
      return Promise.resolve();
    },
  });
  return {
    facts,
    startReplica: async (env = {}) => {
      const service = await spawnService({
        app: 'ingestion',
        env: {
          KAFKA_BROKERS: brokers,
          KAFKA_TOPIC_PREFIX: topicPrefix,
          DATABASE_URL: database.url,
          DATABASE_SCHEMA: database.schema,
          ...env,
        },
      });
      services.push(service);
      return service;
    },
    ask: askBy(client, SITE),
    anotherGateway: async ({ brokers: through, siteId = SITE } = {}) => {
      const gateway = await open(through);
      gateways.add(gateway);
      return { ask: askBy(gateway.client, siteId), close: () => closeGateway(gateway) };
    },
    reconcile: async (siteId) => {
      const asked = { site_id: siteId ?? null, from: null, to: null, cursor: null, limit: 50 };
      const reply = await new OperationAsker(client, 'gateway').ask(OPERATIONS.reconcileEvents, asked);
      if ('error' in reply) throw new Error(reply.error.message);
      return reply.ok;
    },
    lag: async () => {
      const lags = await messaging.lag();
      return lags.reduce((sum, { lag }) => sum + lag, 0);
    },
    close: async () => {
      await Promise.all(services.map((service) => service.stop()));
      await subscription.close();
      for (const gateway of gateways) await closeGateway(gateway);
    },
  };
}

/** Events of several clients, and how often each was answered as stored. */
export class Load {
  readonly sent = new Set<string>();
  readonly told = new Map<string, number>();
  private readonly recent: AcceptedEvent[] = [];
  private readonly sending: Promise<unknown>;
  private readonly pauses = new Pauses(PAUSE_MS);
  private isSending = true;

  constructor(private readonly processes: Pick<IngestionProcesses, 'ask'>) {
    this.sending = Promise.all(Array.from({ length: CLIENTS }, () => this.keepSending()));
  }

  /** Waits for something while the clients send without pauses. */
  until(isThere: () => boolean | Promise<boolean>, message: string): Promise<void> {
    return this.pauses.until(isThere, { message });
  }

  /** Waits until so many more events were answered as stored. */
  async more(count: number): Promise<void> {
    const wanted = this.told.size + count;
    await this.until(() => this.told.size >= wanted, 'more events to be stored');
  }

  async stop(): Promise<void> {
    this.isSending = false;
    this.pauses.stop();
    await this.sending;
  }

  /** New events, and some that another client has sent. */
  private async keepSending(): Promise<void> {
    while (this.isSending) {
      const events = [...Array.from({ length: 8 }, () => anEvent()), ...this.recent.slice(-4)];
      this.recent.push(...events.slice(0, 3));
      for (const event of events) this.sent.add(event.event_id);
      await this.askUntilAnswered(events);
      await this.pauses.pause();
    }
  }

  /** Like a client: retries the same events until there is an answer. */
  private async askUntilAnswered(events: readonly AcceptedEvent[]): Promise<void> {
    for (;;) {
      const reply = await this.processes.ask(events);
      if ('error' in reply && reply.error.code === 'UNAVAILABLE') continue;
      if ('error' in reply) throw new Error(`${reply.error.code}: ${reply.error.message}`);
      const verdicts = parseTrackEventReply(reply.ok, events.length);
      if (!verdicts.ok) throw new Error(verdicts.error);
      for (const [index, { verdict }] of verdicts.value.entries()) {
        const id = events[index]?.event_id ?? '';
        if (verdict === 'stored') this.told.set(id, (this.told.get(id) ?? 0) + 1);
      }
      return;
    }
  }
}

const CLIENTS = 8;
/** Of each client between its requests. */
const PAUSE_MS = 2_000;

function askBy(client: KafkaAskClient, siteId: string): Ask {
  return (events) => {
    const requestId = randomUUID();
    const value = requestText(siteId, requestId, events);
    const to = TOPICS.trackEvent.name;
    return client.ask({ to, key: requestId, requestId, weight: events.length, value });
  };
}

function requestText(siteId: string, requestId: string, events: readonly AcceptedEvent[]): string {
  return encodeTrackEvent({
    siteId,
    requestId,
    trust: 'server',
    refusals: NO_REFUSALS,
    events: events.map((event) => ({
      columns: encodeEventColumns(event),
      properties: event.properties,
      context: event.context,
      index: event.index,
    })),
  });
}

function nothing(): void {
  // Kafka's complaints about the kills are expected.
}
