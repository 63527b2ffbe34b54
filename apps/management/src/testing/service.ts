import { randomBytes, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API_KEY_RANDOM_BYTES, mintApiKey } from '@truetally/contracts/credentials';
import {
  type ApiKeyResource,
  type SiteResource,
  type WorkspaceResource,
} from '@truetally/contracts/management';
import type { CommandAnswer } from '@truetally/contracts/resource';
import { OPERATIONS, TOPICS } from '@truetally/contracts/topics';
import type { Reply } from '@truetally/kernel';
import { CompactedTable, KafkaAskClient, Messaging } from '@truetally/messaging';
import { migrate } from '@truetally/persistence';
import {
  type LocalPostgres,
  type LocalService,
  spawnService,
  testStack,
  testTopicPrefix,
} from '@truetally/testing';
import { SMALL_TOPICS } from '@truetally/testing-product';
import type pg from 'pg';
import { commandOf } from './management-replicas.js';
import { MIGRATIONS } from '../storage/migrations/migrations.js';

/** A database with the service's schema, on any server. */
export interface ServiceDatabase {
  readonly ownerUrl: string;
  readonly url: string;
  readonly schema: string;
  readonly role: string;
  readonly rolePassword: string;
}

const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };
const FOLLOWED = [TOPICS.sites.name, TOPICS.credentials.name];
/** Longer than a killed replica holds its partitions, and than a restart of Postgres takes. */
const ASK_DEADLINE_MS = 40_000;

/**
 * Built management processes on one topic prefix, and a client that asks them and follows what they publish.
 */
export class ManagementService {
  readonly prefix = testTopicPrefix();
  /** Every record seen on `sites.v1` and `credentials.v1`, in order. */
  readonly records: { readonly topic: string; readonly key: string; readonly value: string | null }[] = [];
  readonly messaging: Messaging;
  readonly client: KafkaAskClient;
  private readonly services: LocalService[] = [];
  private tables: readonly CompactedTable[] = [];

  private constructor(private readonly database: ServiceDatabase) {
    this.messaging = new Messaging({
      brokers: [testStack().kafkaBrokers],
      clientId: 'test',
      instance: `test-${randomUUID()}`,
      topicPrefix: this.prefix,
      log: SILENT,
    });
    this.client = new KafkaAskClient(this.messaging, { deadlineMs: ASK_DEADLINE_MS });
  }

  static async prepare(database: ServiceDatabase): Promise<ManagementService> {
    await migrate({ ...database, url: database.ownerUrl, migrations: MIGRATIONS });
    const service = new ManagementService(database);
    await service.messaging.start();
    await service.messaging.ensureTopics(SMALL_TOPICS);
    await service.client.connect();
    service.tables = await Promise.all(
      FOLLOWED.map((topic) =>
        CompactedTable.open(service.messaging, {
          topic,
          apply: (key, value) => service.records.push({ topic, key, value }),
        }),
      ),
    );
    return service;
  }

  async addReplica(environment: Readonly<Record<string, string>> = {}): Promise<LocalService> {
    const service = await spawnService({
      app: 'management',
      env: {
        KAFKA_BROKERS: testStack().kafkaBrokers,
        KAFKA_TOPIC_PREFIX: this.prefix,
        DATABASE_URL: this.database.url,
        DATABASE_SCHEMA: this.database.schema,
        LOG_LEVEL: 'info',
        MEDIA_DIRECTORY: join(tmpdir(), this.prefix),
        ...environment,
      },
    });
    this.services.push(service);
    return service;
  }

  /** SIGKILL: without draining, leaving groups or publishing. */
  async killAll(): Promise<void> {
    await Promise.all(this.running().map((service) => service.kill()));
  }

  running(): readonly LocalService[] {
    return this.services.filter((service) => service.isRunning);
  }

  async close(): Promise<void> {
    await Promise.all(this.running().map((service) => service.stop()));
    await Promise.all(this.tables.map((table) => table.close()));
    await this.client.close();
    await this.messaging.close();
  }

  /** The answer's resource, or the refusal. */
  ask(
    operation: keyof typeof OPERATIONS,
    key: string,
    fields: object,
    correlationId: string = randomUUID(),
  ): Promise<Reply<unknown>> {
    return this.askAt(OPERATIONS[operation].address, key, fields, correlationId);
  }

  /** The same, wherever the command is sent to. */
  async askAt(
    to: string,
    key: string,
    fields: object,
    correlationId: string = randomUUID(),
  ): Promise<Reply<unknown>> {
    const value = JSON.stringify(commandOf(fields));
    const reply = await this.client.ask({ to, key, value, correlationId });
    return 'ok' in reply ? { ok: (reply.ok as CommandAnswer<unknown>).data } : reply;
  }

  /** What no release knows yet. */
  askUnknown(to: string, deadlineMs: number): Promise<Reply<unknown>> {
    const kind = to.includes('.queries/') ? 'query' : 'command';
    return this.client.ask({ to, key: randomUUID(), value: '{}', kind, deadlineMs });
  }

  /** Executed by the service without a reader for its reply, as when its asker has died. */
  tell(
    operation: keyof typeof OPERATIONS,
    key: string,
    fields: object,
    correlationId: string,
  ): Promise<void> {
    const value = JSON.stringify(commandOf(fields));
    return this.client.tell({ to: OPERATIONS[operation].address, key, value, correlationId });
  }

  async makeWorkspace(): Promise<WorkspaceResource> {
    return accepted(
      await this.ask('createWorkspace', randomUUID(), { name: 'Merchant', actor: 'auth0|owner' }),
    );
  }

  async makeSite(workspaceId: string): Promise<SiteResource> {
    const fields = { name: 'Shop', domain: 'shop.example', allowed_origins: ['https://Shop.example'] };
    return accepted(await this.ask('createSite', workspaceId, { workspace_id: workspaceId, ...fields }));
  }

  async makeKey(site: SiteResource): Promise<ApiKeyResource & { readonly hash: string }> {
    const { prefix, hash } = mintApiKey(randomBytes(API_KEY_RANDOM_BYTES));
    const scope = { workspace_id: site.workspace_id, site_id: site.id };
    const fields = { name: 'Backend', scopes: ['events:write'] };
    const body = { ...scope, fields, prefix, hash };
    return { ...accepted<ApiKeyResource>(await this.ask('createApiKey', site.workspace_id, body)), hash };
  }

  /** Records that the topics ever had, whether they were read or not. */
  async published(): Promise<number> {
    const ends = await this.messaging.administer((admin) =>
      Promise.all(FOLLOWED.map((topic) => admin.fetchTopicOffsets(this.messaging.prefixed(topic)))),
    );
    return ends.flat().reduce((sum, { high }) => sum + Number(high), 0);
  }

  /** The current value of a key on the topics. */
  latest(key: string): string | null | undefined {
    return this.records.findLast((record) => record.key === key)?.value;
  }
}

/** The service with what a test looks into, or ends. */
export interface ManagementAtWork {
  readonly management: ManagementService;
  readonly owner: pg.Pool;
  readonly postgres: LocalPostgres;
}

/** The resource of a reply that must be a success. */
export function accepted<T>(reply: Reply<unknown>): T {
  if (!('ok' in reply)) throw new Error(`Refused: ${JSON.stringify(reply)}`);
  return reply.ok as T;
}

function ignore(): void {
  // Outages are part of these tests; their relevant effects are asserted.
}
