import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { API_KEY_RANDOM_BYTES, mintApiKey } from '@truetally/contracts/credentials';
import {
  type ApiKeyBody,
  type ApiKeyResource,
  type MemberResource,
  NO_WORKSPACE,
  type SiteBody,
  type SiteResource,
  type WorkspaceResource,
  type WorkspaceStateBody,
} from '@truetally/contracts/management';
import type { CommandAnswer, ResourceCommand } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Reply } from '@truetally/kernel';
import { type AskRequest, KafkaAskClient, type KafkaSecurity } from '@truetally/messaging';
import { openMessaging } from './open-messaging.js';

/** A new API key with its secret, which only the answer to its creation contains. */
export type CreatedApiKey = ApiKeyResource & { readonly key: string };

export type NewSiteCommand = SiteBody & { readonly workspace_id: string };
type SiteChange = Partial<SiteBody> & { readonly workspace_id: string; readonly site_id: string };
type NewMember = Pick<MemberResource, 'role' | 'workspace_id'> & { readonly sub: string };
type WorkspaceChange = WorkspaceStateBody & { readonly workspace_id: string };
type NewKeyCommand = ApiKeyBody & { readonly workspace_id: string; readonly site_id: string };

interface NewWorkspace {
  readonly name: string;
  readonly owner_sub: string;
  readonly hourly_limit?: number;
}

interface KeyPlace extends Record<string, string> {
  readonly workspace_id: string;
  readonly site_id: string;
  readonly key_id: string;
}

interface KeyChange {
  readonly workspace_id: string;
  readonly site_id: string;
  readonly key_id: string;
  readonly name: string;
}

/** Who asks Kafka. */
export interface Asker {
  ask(request: AskRequest): Promise<Reply<unknown>>;
  close(): Promise<void>;
}

const ANSWER_TIMEOUT_MS = 120_000;
const RETRY_MS = 50;

/** Asks the management service over Kafka, as the gateway's management routes do. */
export class ManagementClient {
  constructor(readonly asker: Asker) {}

  static async connect(
    kafkaBrokers: string,
    topicPrefix: string,
    security?: KafkaSecurity,
  ): Promise<ManagementClient> {
    const messaging = await openMessaging(kafkaBrokers, topicPrefix, 'local-stack', security);
    const client = new KafkaAskClient(messaging);
    await client.connect();
    return new ManagementClient({
      ask: (request) => client.ask(request),
      close: async () => {
        await client.close();
        await messaging.close();
      },
    });
  }

  /** A workspace and its owner; with a limit, if it differs from the default. */
  async createWorkspace({ owner_sub, name, hourly_limit }: NewWorkspace): Promise<WorkspaceResource> {
    const workspace = await this.command<WorkspaceResource>(OPERATIONS.createWorkspace.address, {
      workspace_id: NO_WORKSPACE,
      actor: { sub: owner_sub, email: null, key_id: null, key_prefix: null },
      params: {},
      body: { name },
    });
    if (hourly_limit === undefined) return workspace;
    return this.administerWorkspace({ workspace_id: workspace.id, hourly_limit });
  }

  /** Invites a user by subject, who accepts at once. */
  async addMember({ workspace_id, sub, role }: NewMember): Promise<MemberResource> {
    const params = { workspace_id };
    await this.command(OPERATIONS.createMember.address, { workspace_id, params, body: { sub, role } });
    const actor = { sub, email: null, key_id: null, key_prefix: null };
    return this.command(OPERATIONS.acceptMembership.address, {
      workspace_id: NO_WORKSPACE,
      actor,
      params,
      body: null,
    });
  }

  administerWorkspace({ workspace_id, ...body }: WorkspaceChange): Promise<WorkspaceResource> {
    return this.command(OPERATIONS.administerWorkspace.address, {
      workspace_id,
      params: { workspace_id },
      body,
    });
  }

  createSite({ workspace_id, ...body }: NewSiteCommand): Promise<SiteResource> {
    return this.command(OPERATIONS.createSite.address, { workspace_id, params: {}, body });
  }

  updateSite({ workspace_id, site_id, ...body }: SiteChange): Promise<SiteResource> {
    return this.command(OPERATIONS.updateSite.address, { workspace_id, params: { site_id }, body });
  }

  /** Mints the key here, so that the key itself is not sent. */
  async createApiKey({ workspace_id, site_id, ...fields }: NewKeyCommand): Promise<CreatedApiKey> {
    const { key, prefix, hash } = mintApiKey(randomBytes(API_KEY_RANDOM_BYTES));
    const resource = await this.command<ApiKeyResource>(OPERATIONS.createApiKey.address, {
      workspace_id,
      params: { site_id },
      body: { fields, prefix, hash },
    });
    return { ...resource, key };
  }

  updateApiKey({ workspace_id, site_id, key_id, name }: KeyChange): Promise<ApiKeyResource> {
    const params = { site_id, key_id };
    return this.command(OPERATIONS.updateApiKey.address, { workspace_id, params, body: { name } });
  }

  revokeApiKey({ workspace_id, ...params }: KeyPlace): Promise<{ readonly id: string }> {
    return this.command(OPERATIONS.revokeApiKey.address, { workspace_id, params, body: null });
  }

  close(): Promise<void> {
    return this.asker.close();
  }

  private async command<T>(
    to: string,
    command: Pick<ResourceCommand, 'body' | 'params' | 'workspace_id'> & Partial<ResourceCommand>,
  ): Promise<T> {
    const whole: ResourceCommand = { actor: null, version: null, idempotency: null, ...command };
    const answer = await this.ask<CommandAnswer<T>>(to, command.workspace_id, whole);
    return answer.data;
  }

  /**
   * Asks again under the same correlation id while the answer is "not now": management repeats its first
   * reply.
   */
  private async ask<T>(to: string, key: string, command: object): Promise<T> {
    const request = {
      to,
      key,
      value: JSON.stringify(command),
      correlationId: randomUUID(),
    };
    const deadline = performance.now() + ANSWER_TIMEOUT_MS;
    for (;;) {
      const reply = await this.asker.ask(request);
      if ('ok' in reply) return reply.ok as T;
      const { code, message, details } = reply.error;
      if (code !== 'UNAVAILABLE' || performance.now() > deadline) {
        throw new Error(`${to} answered ${code}: ${message} ${JSON.stringify(details)}`);
      }
      await delay(RETRY_MS);
    }
  }
}
