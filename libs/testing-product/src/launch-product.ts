import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { SCOPES } from '@truetally/contracts/credentials';
import { type ApiKeyBody, type SiteBody, type SiteResource } from '@truetally/contracts/management';
import { SERVICE_NAMES, type ServiceName } from '@truetally/contracts/services';
import {
  dropSchemas,
  freePort,
  type IdTokenRequest,
  issuerUrl,
  type LocalServer,
  type LocalService,
  mintIdToken,
  readIssuerKeys,
  settleAll,
  spawnService,
  startIssuer,
  type TestStack,
  testStack,
  uniqueName,
} from '@truetally/testing';
import { type CreatedApiKey, ManagementClient } from './management-client.js';
import { migrateProduct } from './migrate-product.js';
import { newInstallation } from './new-installation.js';
import {
  type Environment,
  ID_TOKEN_AUDIENCE,
  type Installation,
  roleOf,
  schemaOf,
  serviceEnvironment,
} from './services.js';
import { untilKeyIsKnown, untilSiteIsKnown } from './until-known.js';

export interface LaunchOptions {
  /** Default: all. Processes that nobody asks cost every test their start. */
  readonly services?: readonly ServiceName[];
  /** How many processes there are of each; one where nothing is said. */
  readonly replicas?: Partial<Record<ServiceName, number>>;
  /** On top of what each service gets. */
  readonly env?: Partial<Record<ServiceName, Environment>>;
  /** Default: the Kafka and Postgres of this test run. */
  readonly stack?: TestStack;
}

export interface LocalGateway extends LocalService {
  /** Ends with `/api/v1`. */
  readonly baseUrl: string;
  /** Ends with `/api/admin`. */
  readonly adminUrl: string;
}

export type NewSite = Partial<SiteBody>;
export type NewApiKey = Partial<ApiKeyBody>;

const DEFAULT_ORIGIN = 'https://shop.example';
const AMPLE_HOURLY_LIMIT = 100_000_000;

/** Runs the whole product from its builds, with topics, schemas and roles of its own, on free ports. */
export async function launchProduct(options: LaunchOptions = {}): Promise<Product> {
  const installation = await newInstallation(options.stack ?? testStack());
  await migrateProduct(installation);
  const product = new Product(installation, options.env ?? {});
  try {
    await product.start(options);
    return product;
  } catch (error) {
    await product.stop();
    throw error;
  }
}

export class Product {
  readonly gateways: LocalGateway[] = [];
  private readonly others = new Map<ServiceName, LocalService[]>();
  private client: ManagementClient | undefined;
  private localIssuer: LocalServer | undefined;

  constructor(
    readonly installation: Installation,
    private readonly environments: Partial<Record<ServiceName, Environment>>,
  ) {}

  async start({ services = SERVICE_NAMES, replicas = {} }: LaunchOptions): Promise<void> {
    const processes = services.flatMap((name) =>
      Array.from({ length: replicas[name] ?? 1 }, () => this.add(name)),
    );
    await settleAll([
      startIssuer(this.installation.issuer).then((issuer) => (this.localIssuer = issuer)),
      ...processes,
    ]);
    const { kafkaBrokers, topicPrefix } = this.installation;
    this.client = await ManagementClient.connect(kafkaBrokers, topicPrefix);
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

  get gateway(): LocalGateway {
    return first(this.gateways, 'gateway');
  }

  get management(): LocalService {
    return first(this.processes('management'), 'management');
  }

  /** For commands that have no shorthand here. */
  get asks(): ManagementClient {
    return started(this.client);
  }

  /** Publishes the keys of ID tokens; reads `installation.issuer.keysFile` at each start. */
  get issuer(): LocalServer {
    return started(this.localIssuer);
  }

  /** An ID token of the issuer's, as it is asked for: also one that no gateway may take. */
  idToken(request: Partial<IdTokenRequest> & Pick<IdTokenRequest, 'sub'>): Promise<string> {
    const { issuer } = this.installation;
    const usual = { iss: issuerUrl(issuer), aud: ID_TOKEN_AUDIENCE };
    return mintIdToken(readIssuerKeys(issuer.keysFile), { ...usual, ...request });
  }

  schema(service: ServiceName): string {
    return schemaOf(this.installation, service);
  }

  /** The processes of one service, in the order in which they were ready. */
  processes(name: ServiceName): readonly LocalService[] {
    return name === 'gateway' ? this.gateways : (this.others.get(name) ?? []);
  }

  /**
   * Starts one more process of a service; resolves when it is ready.
   * @param more of its environment than others of its service have; not of a gateway's
   */
  async add(name: ServiceName, more: Environment = {}): Promise<LocalService> {
    if (name === 'gateway') return this.addGateway();
    const service = await this.run(name, more);
    this.others.set(name, [...this.processes(name), service]);
    return service;
  }

  async addGateway(): Promise<LocalGateway> {
    const port = await freePort();
    const service = await this.run('gateway', { HTTP_HOST: '127.0.0.1', HTTP_PORT: String(port) });
    const origin = `http://127.0.0.1:${port}`;
    const gateway = Object.assign(service, { baseUrl: `${origin}/api/v1`, adminUrl: `${origin}/api/admin` });
    this.gateways.push(gateway);
    return gateway;
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

  /** A key, with every scope when none are named; returns when every gateway knows it, with nothing consumed. */
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
    // Trying a key consumes of its limit. Gateways learn keys in the order of their creation, so a later one is tried.
    const later = await create({ name: 'Tried until known' });
    await Promise.all(this.gateways.map(({ baseUrl }) => untilKeyIsKnown(baseUrl, later.key)));
    return created;
  }

  /** Stops every process, and removes schemas, roles and keys. */
  async stop(): Promise<void> {
    await this.client?.close();
    const services = SERVICE_NAMES.flatMap((name) => this.processes(name));
    await Promise.all([...services, this.localIssuer].map((service) => service?.stop()));
    const { installation } = this;
    rmSync(dirname(installation.keyringFile), { recursive: true, force: true });
    await dropSchemas(
      installation.databaseUrl,
      SERVICE_NAMES.map((service) => ({
        schema: schemaOf(installation, service),
        role: roleOf(installation, service),
      })),
    );
  }

  private run(app: ServiceName, more: Environment = {}): Promise<LocalService> {
    const env = { ...serviceEnvironment(this.installation, app), ...more, ...this.environments[app] };
    return spawnService({ app, env });
  }
}

function started<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('The product has not been started');
  return part;
}

function first<T>(services: readonly T[], name: string): T {
  const service = services[0];
  if (service === undefined) throw new Error(`No ${name} was started`);
  return service;
}
