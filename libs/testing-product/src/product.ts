import { SCOPES } from '@truetally/contracts/credentials';
import { type ApiKeyBody, type SiteBody, type SiteResource } from '@truetally/contracts/management';
import type { ServiceName } from '@truetally/contracts/services';
import {
  ID_TOKEN_AUDIENCE,
  type IdTokenRequest,
  issuerUrl,
  mintIdToken,
  readIssuerKeys,
} from '@truetally/processes';
import { uniqueName } from '@truetally/testing';
import { type CreatedApiKey, ManagementClient } from './management-client.js';
import { type Installation, schemaOf } from './services.js';
import { untilKeyIsKnown, untilSiteIsKnown } from './until-known.js';

/** Fields of a new site; the rest gets defaults. */
export type NewSite = Partial<SiteBody>;
/** Fields of a new API key; the rest gets defaults. */
export type NewApiKey = Partial<ApiKeyBody>;

/** A gateway's addresses. */
export interface GatewayAddresses {
  /** Ends with `/api/v1`. */
  readonly baseUrl: string;
  /** Ends with `/api/admin`. */
  readonly adminUrl: string;
}

const DEFAULT_ORIGIN = 'https://shop.example';
const AMPLE_HOURLY_LIMIT = 100_000_000;

/** A running product, as its clients see it: no test may stop, change or count what other tests share. */
export abstract class Product {
  private client: ManagementClient | undefined;

  constructor(readonly installation: Installation) {}

  abstract get gateways(): readonly GatewayAddresses[];

  /** Of the first process of a service: where it answers health and metrics. */
  abstract operationsPort(service: ServiceName): number;

  /** What its processes have logged, each up to a bound. */
  abstract logs(): Promise<string>;

  get gateway(): GatewayAddresses {
    const [first] = this.gateways;
    if (first === undefined) throw new Error('No gateway was started');
    return first;
  }

  async connect(): Promise<void> {
    this.client = await this.openClient();
  }

  protected openClient(): Promise<ManagementClient> {
    const { kafkaBrokers, topicPrefix, kafkaUsers } = this.installation;
    return ManagementClient.connect(kafkaBrokers, topicPrefix, kafkaUsers?.operator);
  }

  /** Closes what this object has opened. */
  async stop(): Promise<void> {
    await this.client?.close();
  }

  /** Of the first gateway; ends with `/api/v1`. */
  get baseUrl(): string {
    return this.gateway.baseUrl;
  }

  get adminUrl(): string {
    return this.gateway.adminUrl;
  }

  get adminSecret(): string {
    return this.installation.secrets.adminSecret;
  }

  /** For commands that have no shorthand here. */
  get asks(): ManagementClient {
    if (this.client === undefined) throw new Error('The product has not been started');
    return this.client;
  }

  /** Any ID token that the issuer can mint, including invalid ones. */
  idToken(request: Partial<IdTokenRequest> & Pick<IdTokenRequest, 'sub'>): Promise<string> {
    const { issuer } = this.installation;
    const usual = { iss: issuerUrl(issuer), aud: ID_TOKEN_AUDIENCE };
    return mintIdToken(readIssuerKeys(issuer.keysFile), { ...usual, ...request });
  }

  schema(service: ServiceName): string {
    return schemaOf(this.installation, service);
  }

  /** A site in a workspace of its own; returns when every gateway knows it. */
  async createSite(site: NewSite = {}): Promise<SiteResource> {
    const workspace = await this.asks.createWorkspace({ name: 'Test', owner_sub: uniqueName('owner') });
    const created = await this.asks.createSite({
      workspace_id: workspace.id,
      name: 'Shop',
      domain: 'shop.example',
      allowed_origins: [DEFAULT_ORIGIN],
      runtime_hourly_limit: AMPLE_HOURLY_LIMIT,
      ...site,
    });
    const origin = created.allowed_origins[0] ?? DEFAULT_ORIGIN;
    await Promise.all(this.gateways.map(({ baseUrl }) => untilSiteIsKnown(baseUrl, created.id, origin)));
    return created;
  }

  /** A key, by default with every scope; returns when every gateway knows it, with an unused limit where one is named. */
  async createApiKey(site: SiteResource, key: NewApiKey = {}): Promise<CreatedApiKey> {
    const create = (wanted: NewApiKey): Promise<CreatedApiKey> =>
      this.asks.createApiKey({
        workspace_id: site.workspace_id,
        site_id: site.id,
        name: 'Test',
        scopes: SCOPES,
        hourly_limit: AMPLE_HOURLY_LIMIT,
        ...wanted,
      });
    const created = await create(key);
    // Trying a key consumes its limit, and it must write events. Gateways learn keys in the order of their creation: else a
    // later one is tried.
    const mayBeTried = key.hourly_limit === undefined && (key.scopes ?? SCOPES).includes('events:write');
    const tried = mayBeTried ? created : await create({ name: 'Tried until known' });
    await Promise.all(this.gateways.map(({ baseUrl }) => untilKeyIsKnown(baseUrl, tried.key)));
    return created;
  }
}
