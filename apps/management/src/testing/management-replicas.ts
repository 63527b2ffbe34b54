import { randomBytes, randomUUID } from 'node:crypto';
import { API_KEY_RANDOM_BYTES, mintApiKey } from '@truetally/contracts/credentials';
import { ownerOfFact } from '@truetally/contracts/facts';
import {
  type CredentialRecord,
  memberKey,
  type MemberRecord,
  type MemberRole,
  CREDENTIAL_RECORD,
  MEMBER_RECORD,
  SITE_RECORD,
  type SiteRecord,
} from '@truetally/contracts/facts';
import {
  type ApiKeyResource,
  type MemberResource,
  NO_WORKSPACE,
  type SiteResource,
  type WorkspaceResource,
} from '@truetally/contracts/management';
import type { ResourceCommand } from '@truetally/contracts/resource';
import { NO_REVISION, type Reply } from '@truetally/kernel';
import {
  createPool,
  isTransient,
  migrate,
  OutboxRelay,
  type OutgoingFact,
  SharedReader,
} from '@truetally/persistence';
import { TransientError } from '@truetally/messaging';
import { type CommandWork, ResourceDatabase } from '@truetally/resource';
import { republish } from '@truetally/service';
import { createTestDatabase, eventually, ownerPool, type TestDatabase } from '@truetally/testing';
import { PATIENT_CONNECT_MS } from '@truetally/testing-product';
import type pg from 'pg';
import { SOURCES } from '../republish-facts/state-sources.js';
import { createCampaign } from '../campaigns/create-campaign.js';
import { deleteCampaign } from '../campaigns/delete-campaign.js';
import { updateCampaign } from '../campaigns/update-campaign.js';
import { createApiKey } from '../api-keys/create-api-key.js';
import { revokeApiKey } from '../api-keys/revoke-api-key.js';
import { rotateApiKey } from '../api-keys/rotate-api-key.js';
import { updateApiKey } from '../api-keys/update-api-key.js';
import { acceptMembership } from '../members/accept-membership.js';
import { createMember } from '../members/create-member.js';
import { declineMembership } from '../members/decline-membership.js';
import { deleteMember } from '../members/delete-member.js';
import { updateMember } from '../members/update-member.js';
import { beginSettlementsImport } from '../pull-integrations/begin-settlements-import.js';
import { createProduct } from '../products/create-product.js';
import { updateProduct } from '../products/update-product.js';
import { putProducts } from '../products/put-products.js';
import { createSite } from '../sites/create-site.js';
import { updateSite } from '../sites/update-site.js';
import { appendToAuditLog } from '../storage/audit-log.store.js';
import { MIGRATIONS } from '../storage/migrations/migrations.js';
import { administerWorkspace } from '../workspaces/administer-workspace.js';
import { createWorkspace } from '../workspaces/create-workspace.js';
import { updateWorkspace } from '../workspaces/update-workspace.js';

export const OWNER = 'auth0|owner';
/** A test that commits facts by itself wakes no relay. */
const RELAY_INTERVAL_MS = 200;
type KnownKeys = Readonly<Record<keyof typeof SOURCES, ReadonlySet<string>>>;

export const NOTHING_KNOWN: KnownKeys = {
  sites: new Set(),
  erasedSites: new Set(),
  credentials: new Set(),
  members: new Set(),
  campaigns: new Set(),
  workflows: new Set(),
};

/** Publishes what topics with these keys lack. @returns the number of facts */
export async function republishFacts(
  pool: pg.Pool,
  relay: OutboxRelay,
  known: KnownKeys,
  everything = false,
): Promise<Readonly<Record<keyof typeof SOURCES, number>>> {
  const statesOf = (keys: ReadonlySet<string>) =>
    new Map([...keys].map((key) => [key, { ...NO_REVISION, isGone: false }]));
  const published = {
    sites: statesOf(known.sites),
    erasedSites: statesOf(known.erasedSites),
    credentials: statesOf(known.credentials),
    members: statesOf(known.members),
    campaigns: statesOf(known.campaigns),
    workflows: statesOf(known.workflows),
  };
  const { facts } = await republish({ pool, relay, sources: SOURCES, published, incarnation: 1, everything });
  return facts;
}

type Send = (body: object, correlationId?: string) => Promise<Reply<unknown>>;

/**
 * Two replicas of the service's inside (handlers, storage, relay) over one real schema. Published facts are
 * collected in order instead of sent; everything else is as in production.
 */
export class ManagementReplicas {
  readonly published: OutgoingFact[] = [];
  readonly relays: readonly [OutboxRelay, OutboxRelay];
  private readonly databases: readonly [ResourceDatabase, ResourceDatabase];
  private turn = 0;

  private constructor(
    readonly schema: TestDatabase,
    /** Has all privileges. */
    readonly owner: pg.Pool,
    /** The service's own role. */
    readonly pool: pg.Pool,
    readonly reader: SharedReader,
  ) {
    const publish = (facts: readonly OutgoingFact[]): Promise<void> => {
      this.published.push(...facts);
      return Promise.resolve();
    };
    const onError = (error: unknown): void => {
      // A relay that this process let wait for seconds has lost its transaction, and tries it again as in production.
      if (!isTransient(error)) throw error;
    };
    const relay = (): OutboxRelay =>
      new OutboxRelay({
        pool,
        intervalMs: RELAY_INTERVAL_MS,
        publisher: { publish, ready: () => Promise.resolve(), close: () => Promise.resolve() },
        isUndeliverable: () => false,
        isState: () => true,
        ownerOf: ownerOfFact,
        onSetAside: (refused) => {
          throw new Error(`Facts were set aside: ${refused.length}`);
        },
        onError,
      });
    this.relays = [relay(), relay()];
    const database = (relay: OutboxRelay): ResourceDatabase =>
      new ResourceDatabase({ pool, reader, relay, audit: appendToAuditLog });
    this.databases = [database(this.relays[0]), database(this.relays[1])];
    this.relays.forEach((relay) => relay.start());
  }

  static async start(): Promise<ManagementReplicas> {
    const schema = await createTestDatabase('management');
    const options = { ...schema, url: schema.ownerUrl, migrations: MIGRATIONS };
    await Promise.all([migrate(options), migrate(options)]);
    const owner = ownerPool(schema, 2);
    const connections = { url: schema.url, schema: schema.schema, applicationName: 'test' };
    const pool = createPool({ ...connections, max: 12, pipeline: true });
    pool.options.connectionTimeoutMillis = PATIENT_CONNECT_MS;
    return new ManagementReplicas(schema, owner, pool, new SharedReader({ ...connections, max: 1 }));
  }

  async stop(): Promise<void> {
    await Promise.all(this.relays.map((relay) => relay.stop()));
    await this.pool.end();
    await this.reader.close();
    await this.owner.end();
  }

  /** Alternates between the replicas, so that nothing can depend on one process. */
  next(): ResourceDatabase {
    return this.databases[this.turn++ % 2 === 0 ? 0 : 1];
  }

  readonly send = {
    createWorkspace: this.commander(createWorkspace),
    updateWorkspace: this.commander(updateWorkspace),
    administerWorkspace: this.commander(administerWorkspace),
    createMember: this.commander(createMember),
    updateMember: this.commander(updateMember),
    deleteMember: this.commander(deleteMember),
    acceptMembership: this.commander(acceptMembership),
    declineMembership: this.commander(declineMembership),
    createSite: this.commander(createSite),
    updateSite: this.commander(updateSite),
    createCampaign: this.commander(createCampaign),
    updateCampaign: this.commander(updateCampaign),
    deleteCampaign: this.commander(deleteCampaign),
    createApiKey: this.commander(createApiKey),
    updateApiKey: this.commander(updateApiKey),
    rotateApiKey: this.commander(rotateApiKey),
    revokeApiKey: this.commander(revokeApiKey),
    beginSettlementsImport: this.commander(beginSettlementsImport),
    createProduct: this.commander(createProduct),
    updateProduct: this.commander(updateProduct),
    putProducts: this.commander(putProducts),
  };

  /** Does not count against its owner's quota: a spec creates more than any user. */
  async makeWorkspace(owner: string = OWNER): Promise<WorkspaceResource> {
    const workspace = accepted<WorkspaceResource>(
      await this.send.createWorkspace({ name: 'Merchant', actor: owner }),
    );
    await this.owner.query('update workspaces set created_by = null where workspace_id = $1', [workspace.id]);
    return workspace;
  }

  /** Invites a user, who accepts at once. */
  async addMember(workspaceId: string, sub: string, role: MemberRole): Promise<MemberResource> {
    accepted(await this.send.createMember({ workspace_id: workspaceId, sub, role }));
    return accepted(await this.send.acceptMembership({ path_workspace_id: workspaceId, actor: sub }));
  }

  async makeSite(workspaceId: string): Promise<SiteResource> {
    return accepted(await this.send.createSite(siteBody(workspaceId)));
  }

  async makeKey(site: SiteResource): Promise<ApiKeyResource> {
    return accepted(await this.send.createApiKey(keyBody(site)));
  }

  async count(table: string, where = 'true'): Promise<number> {
    const { rows } = await this.owner.query<{ count: string }>(
      `select count(*) from ${table} where ${where}`,
    );
    return Number(rows[0]?.count);
  }

  async allPublished(): Promise<void> {
    await eventually(async () => (await this.count('outbox')) === 0, { message: 'an empty outbox' });
  }

  /** Clears what was published so far. */
  async settle(): Promise<void> {
    await this.allPublished();
    this.published.length = 0;
  }

  lastSiteFact(siteId: string): SiteRecord {
    const record = SITE_RECORD.parse(this.lastFact('sites.v1', siteId));
    if (!record.ok) throw new Error(record.error);
    return record.value;
  }

  lastKeyFact(keyId: string): CredentialRecord {
    const record = CREDENTIAL_RECORD.parse(this.lastFact('credentials.v1', keyId));
    if (!record.ok) throw new Error(record.error);
    return record.value;
  }

  lastMemberFact(workspaceId: string, sub: string): MemberRecord {
    const record = MEMBER_RECORD.parse(
      this.lastFact('members.v1', memberKey({ workspace_id: workspaceId, sub, email: null })),
    );
    if (!record.ok) throw new Error(record.error);
    return record.value;
  }

  private lastFact(topic: string, key: string): string {
    return this.published.findLast((fact) => fact.topic === topic && fact.key === key)?.value ?? '';
  }

  /** A command whose fields and ids are members of one object. */
  private commander(work: CommandWork): Send {
    return async (fields, correlationId = randomUUID()) => {
      for (;;) {
        try {
          const reply = await this.next().command(commandOf(fields), correlationId, work);
          return 'ok' in reply ? { ok: reply.ok.data } : reply;
        } catch (error) {
          // A busy database: the service is given the message once more.
          if (!(error instanceof TransientError)) throw error;
        }
      }
    };
  }
}

/**
 * The message of a command, from its fields: ids of its path, and a body that is named or beside them. An
 * actor is a subject, or a subject with a verified address; an answer to an invitation names the workspace
 * only in the path.
 */
export function commandOf(fields: object): ResourceCommand {
  const {
    workspace_id,
    path_workspace_id,
    actor,
    version,
    body: whole,
    ...rest
  } = fields as Record<string, unknown>;
  const isOfPath = (name: string): boolean => name === 'id' || name.endsWith('_id');
  const params = Object.entries(rest).filter(([name]) => isOfPath(name));
  const body = Object.entries(rest).filter(([name]) => !isOfPath(name));
  return {
    workspace_id: typeof workspace_id === 'string' ? workspace_id : NO_WORKSPACE,
    actor: actorOf(actor),
    params: Object.fromEntries(
      [...params, ...(path_workspace_id === undefined ? [] : [['workspace_id', path_workspace_id]])].map(
        ([name, value]) => [name, String(value)],
      ),
    ),
    version: typeof version === 'number' ? version : null,
    idempotency: null,
    body: whole ?? Object.fromEntries(body),
  };
}

function actorOf(actor: unknown): ResourceCommand['actor'] {
  const key = { key_id: null, key_prefix: null };
  if (typeof actor === 'string') return { sub: actor, email: null, ...key };
  return typeof actor === 'object' && actor !== null ? { ...(actor as Person), ...key } : null;
}

/** A user with a token: subject, and the address if the issuer has verified it. */
export interface Person {
  readonly sub: string;
  readonly email: string | null;
}

export function siteBody(workspaceId: string) {
  return {
    workspace_id: workspaceId,
    name: 'Shop',
    domain: 'shop.example',
    allowed_origins: ['https://shop.example'],
    actor: OWNER,
  };
}

export function keyBody(site: SiteResource) {
  const { prefix, hash } = mintApiKey(randomBytes(API_KEY_RANDOM_BYTES));
  return {
    workspace_id: site.workspace_id,
    site_id: site.id,
    fields: { name: 'Backend', scopes: ['events:write'] },
    prefix,
    hash,
    actor: OWNER,
  };
}

/** The resource of a reply that must be a success. */
export function accepted<T>(reply: Reply<unknown>): T {
  if (!('ok' in reply)) throw new Error(`Refused: ${JSON.stringify(reply)}`);
  return reply.ok as T;
}
