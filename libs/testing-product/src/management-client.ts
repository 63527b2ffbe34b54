import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type AddMember,
  API_KEY_RANDOM_BYTES,
  type ApiKeyResource,
  type CreateApiKey,
  type CommandAnswer,
  type CreateWorkspace,
  type MemberResource,
  mintApiKey,
  type ManagementCommand,
  type SiteBody,
  type SiteResource,
  type SuspendWorkspace,
  TOPICS,
  type WorkspaceResource,
} from '@truetally/contracts';
import { KafkaAskClient, Messaging, type MessagingLog } from '@truetally/messaging';

export type CreatedApiKey = ApiKeyResource & { readonly key: string };

export type NewSiteCommand = SiteBody & { readonly workspace_id: string };
type SiteChange = Partial<SiteBody> & { readonly workspace_id: string; readonly site_id: string };

const ANSWER_TIMEOUT_MS = 20_000;
const RETRY_MS = 50;

const SILENT: MessagingLog = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Asks the management service over Kafka, as the gateway's management routes do. */
export class ManagementClient {
  private constructor(
    private readonly messaging: Messaging,
    private readonly client: KafkaAskClient,
  ) {}

  static async connect(kafkaBrokers: string, topicPrefix: string): Promise<ManagementClient> {
    const messaging = new Messaging({
      brokers: kafkaBrokers.split(','),
      clientId: 'local-stack',
      instance: `local-stack-${randomUUID()}`,
      topicPrefix,
      log: SILENT,
    });
    await messaging.start();
    const client = new KafkaAskClient(messaging);
    await client.connect();
    return new ManagementClient(messaging, client);
  }

  createWorkspace(command: CreateWorkspace): Promise<WorkspaceResource> {
    return this.ask(TOPICS.createWorkspace.name, command.owner_sub, command);
  }

  addMember(command: AddMember): Promise<MemberResource> {
    return this.ask(TOPICS.addMember.name, command.workspace_id, command);
  }

  suspendWorkspace(command: SuspendWorkspace): Promise<WorkspaceResource> {
    return this.ask(TOPICS.suspendWorkspace.name, command.workspace_id, command);
  }

  createSite({ workspace_id, ...body }: NewSiteCommand): Promise<SiteResource> {
    return this.command(TOPICS.createSite.name, { workspace_id, params: {}, body });
  }

  updateSite({ workspace_id, site_id, ...body }: SiteChange): Promise<SiteResource> {
    return this.command(TOPICS.updateSite.name, { workspace_id, params: { site_id }, body });
  }

  /** Mints the key here, so that its text does not travel. */
  async createApiKey(command: Omit<CreateApiKey, 'prefix' | 'hash'>): Promise<CreatedApiKey> {
    const { key, prefix, hash } = mintApiKey(randomBytes(API_KEY_RANDOM_BYTES));
    const complete: CreateApiKey = { ...command, prefix, hash };
    const resource = await this.ask<ApiKeyResource>(TOPICS.createApiKey.name, command.workspace_id, complete);
    return { ...resource, key };
  }

  revokeApiKey(command: { workspace_id: string; site_id: string; key_id: string }): Promise<ApiKeyResource> {
    return this.ask(TOPICS.revokeApiKey.name, command.workspace_id, command);
  }

  async close(): Promise<void> {
    await this.client.close();
    await this.messaging.close();
  }

  private async command<T>(
    topic: string,
    command: Pick<ManagementCommand, 'body' | 'params' | 'workspace_id'>,
  ): Promise<T> {
    const whole: ManagementCommand = { actor: null, version: null, idempotency: null, ...command };
    const answer = await this.ask<CommandAnswer<T>>(topic, command.workspace_id, whole);
    return answer.data;
  }

  /** Asks again under the same correlation id while the answer is "not now": management replies as it did first. */
  private async ask<T>(topic: string, key: string, command: object): Promise<T> {
    const request = { topic, key, value: JSON.stringify(command), correlationId: randomUUID() };
    const deadline = performance.now() + ANSWER_TIMEOUT_MS;
    for (;;) {
      const reply = await this.client.ask(request);
      if ('ok' in reply) return reply.ok as T;
      const { code, message, details } = reply.error;
      if (code !== 'UNAVAILABLE' || performance.now() > deadline) {
        throw new Error(`${topic} answered ${code}: ${message} ${JSON.stringify(details)}`);
      }
      await delay(RETRY_MS);
    }
  }
}
