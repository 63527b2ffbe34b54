import { randomInt } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type ServiceName, SERVICE_NAMES } from '@truetally/contracts/services';
import type { Reply } from '@truetally/kernel';
import type { AskRequest } from '@truetally/messaging';
import { freePort } from '@truetally/processes';
import type { TestStack } from '@truetally/testing';
import { launchProduct, type LaunchedProduct, type LaunchOptions } from './launch-product.js';
import { ManagementClient } from './management-client.js';
import { type GatewayAddresses, Product } from './product.js';
import type { Installation } from './services.js';

/** What a test needs to use a product that another process has launched. */
interface Description {
  readonly installation: Installation;
  readonly gateways: readonly GatewayAddresses[];
  /** By the service's name. */
  readonly operationsPorts: Readonly<Record<string, number>>;
}

/** The variable by which tests find the run's product. */
const ADDRESS_VARIABLE = 'TEST_PRODUCT_URL';
/** The dashboard origin that the shared product's gateway allows. */
export const SHARED_DASHBOARD_ORIGIN = 'https://dashboard.example';
/** Origins for tests of the pages, each of which takes one: more than suites that run at once. */
const PAGES_AT_ONCE = 8;
/** Path: where it tells what it has logged. */
const LOGS = 'logs';
/** Path: where it asks its services. A client of its own for each suite would cost Kafka seven connections, a topic and a group. */
const ASKS = 'asks';
/** A key's use is known soon, which a test can wait for. */
const KEY_USE_INTERVAL_MS = '200';
/** Requests of a test may come from another address: `fromElsewhere`. */
const BEHIND_PROXY = { TRUSTED_PROXIES: '127.0.0.1' } as const;
/** For tests of what two processes of a service do at the same time. */
const REPLICAS = { gateway: 2, 'attribution-ledger': 2 } as const;
/** Partner networks, feeds and receivers of webhooks of a test are on this machine. */
const LOOPBACK = { ALLOW_PRIVATE_NETWORKS: '127.0.0.1/32' } as const;
/** The gateway accepts one more: an address is checked again when it is called. */
const ACCEPTED = { ALLOW_PRIVATE_NETWORKS: '127.0.0.1/32,169.254.7.7/32' } as const;

const LAUNCH: LaunchOptions = {
  inOneProcess: true,
  replicas: REPLICAS,
  env: {
    gateway: { KEY_USE_INTERVAL_MS, ...BEHIND_PROXY, ...ACCEPTED },
    outbound: LOOPBACK,
    'publisher-analytics': LOOPBACK,
  },
};

/** The product of all tests of a run that only use it, launched at the first request for it. */
export class ProductForAll {
  private launching: Promise<LaunchedProduct> | undefined;

  private constructor(
    private readonly server: Server,
    private readonly stack: TestStack,
  ) {}

  static async offer(stack: TestStack): Promise<ProductForAll> {
    const server = createServer((request, response) => {
      // A test process asks seldom: a connection that it keeps could be closed while it asks again.
      response.setHeader('Connection', 'close');
      const told = offered.launch().then((product) => tell(product, request));
      told.then(
        (text) => response.end(text),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
    const offered = new ProductForAll(server, stack);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return offered;
  }

  /** The environment by which tests find it. */
  get environment(): Record<string, string> {
    return { [ADDRESS_VARIABLE]: `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/` };
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    const launched = await this.launching?.catch(() => undefined);
    await launched?.stop();
  }

  private launch(): Promise<LaunchedProduct> {
    this.launching ??= launchOn(this.stack);
    // The launch may fail on an overloaded machine, and succeed later.
    this.launching.catch(() => (this.launching = undefined));
    return this.launching;
  }
}

async function launchOn(stack: TestStack): Promise<LaunchedProduct> {
  const ports = await Promise.all(Array.from({ length: PAGES_AT_ONCE }, () => freePort()));
  return launchProduct({
    ...LAUNCH,
    dashboardOrigins: [SHARED_DASHBOARD_ORIGIN, ...ports.map((port) => `http://localhost:${port}`)],
    stack,
    hasFewPartitions: true,
  });
}

async function tell(product: LaunchedProduct, request: IncomingMessage): Promise<string> {
  if (request.url === `/${LOGS}`) return product.logs();
  if (request.url !== `/${ASKS}`) return describe(product);
  return JSON.stringify(await product.asks.asker.ask((await json(request)) as AskRequest));
}

function describe(product: LaunchedProduct): string {
  const ports = SERVICE_NAMES.map((name) => [name, product.operationsPort(name)] as const);
  const description: Description = {
    installation: product.installation,
    gateways: product.gateways.map(({ baseUrl, adminUrl }) => ({ baseUrl, adminUrl })),
    operationsPorts: Object.fromEntries(ports),
  };
  return JSON.stringify(description);
}

class UsedProduct extends Product {
  constructor(
    private readonly address: URL,
    private readonly description: Description,
  ) {
    super(description.installation);
  }

  override operationsPort(service: ServiceName): number {
    const port = this.description.operationsPorts[service];
    if (port === undefined) throw new Error(`The shared product has no ${service}`);
    return port;
  }

  override logs(): Promise<string> {
    return answerOf(new URL(LOGS, this.address));
  }

  protected override openClient(): Promise<ManagementClient> {
    const asks = new URL(ASKS, this.address);
    const ask = async (request: AskRequest): Promise<Reply<unknown>> =>
      JSON.parse(await answerOf(asks, JSON.stringify(request))) as Reply<unknown>;
    return Promise.resolve(new ManagementClient({ ask, close: () => Promise.resolve() }));
  }

  get gateways(): readonly GatewayAddresses[] {
    return this.description.gateways;
  }
}

/**
 * Headers of a client with an address of its own, as the shared product takes it: an address that has sent wrong admin
 * secrets waits for its next answer, up to eight seconds.
 */
export function fromElsewhere(): Readonly<Record<string, string>> {
  const part = (): number => randomInt(1, 255);
  return { 'x-forwarded-for': `10.${part()}.${part()}.${part()}` };
}

/**
 * The shared product of a test run. Tests that stop processes, set their environment, count global effects or
 * exhaust shared limits launch their own (`launchProduct`).
 */
export async function sharedProduct(): Promise<Product> {
  const address = process.env[ADDRESS_VARIABLE];
  if (address === undefined) throw new Error(`${ADDRESS_VARIABLE} is not set: tests run by "npm test".`);
  const url = new URL(address);
  const product = new UsedProduct(url, JSON.parse(await answerOf(url)) as Description);
  await product.connect();
  return product;
}

async function answerOf(url: URL, body?: string): Promise<string> {
  const response = await fetch(url, body === undefined ? {} : { method: 'POST', body });
  const text = await response.text();
  if (!response.ok) throw new Error(`The shared product could not be launched, or did not answer: ${text}`);
  return text;
}
