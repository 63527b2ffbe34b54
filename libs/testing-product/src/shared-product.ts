import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ServiceName, SERVICE_NAMES } from '@truetally/contracts/services';
import { freePort } from '@truetally/processes';
import type { TestStack } from '@truetally/testing';
import { launchProduct, type LaunchedProduct, type LaunchOptions } from './launch-product.js';
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
const PAGES_AT_ONCE = 4;
/** Below the path of a kind of product: where it tells what it has logged. */
const LOGS = 'logs';
/** A key's use is known soon, which a test can wait for. */
const KEY_USE_INTERVAL_MS = '200';
/** Requests of a test may come from another address: `fromElsewhere`. */
const BEHIND_PROXY = { TRUSTED_PROXIES: '127.0.0.1' } as const;
/** For tests of what two processes of a service do at the same time. */
const REPLICAS = { gateway: 2, 'attribution-ledger': 2 } as const;
/** Partner networks, feeds and receivers of webhooks of a test are on this machine. */
const LOOPBACK = { ALLOW_PRIVATE_NETWORKS: '127.0.0.1/32' } as const;
/** The gateway's: an address that it accepts is checked again when it is called. */
const ALLOWED = { ALLOW_PRIVATE_NETWORKS: '127.0.0.1/32,169.254.7.7/32' } as const;

export interface SharedProductOptions {
  /** Whether it sends requests to this machine: the one that does not refuses such addresses, which is tested. */
  readonly reachesLoopback?: boolean;
}

type Kind = 'usual' | 'loopback';

const LAUNCHES: Readonly<Record<Kind, LaunchOptions>> = {
  usual: {
    inOneProcess: true,
    replicas: REPLICAS,
    env: { gateway: { KEY_USE_INTERVAL_MS, ...BEHIND_PROXY } },
  },
  loopback: {
    inOneProcess: true,
    env: { gateway: ALLOWED, outbound: LOOPBACK, 'publisher-analytics': LOOPBACK },
  },
};

/** The products of all tests of a run that only use them, each launched at the first request for it. */
export class ProductForAll {
  private readonly launching = new Map<Kind, Promise<LaunchedProduct>>();

  private constructor(
    private readonly server: Server,
    private readonly stack: TestStack,
  ) {}

  static async offer(stack: TestStack): Promise<ProductForAll> {
    const server = createServer(({ url = '' }, response) => {
      // A test process asks seldom: a connection that it keeps could be closed while it asks again.
      response.setHeader('Connection', 'close');
      const [, kind, what] = url.split('/');
      const launched = offered.launch(kind === 'loopback' ? kind : 'usual');
      const told = launched.then((product) => (what === LOGS ? product.logs() : describe(product)));
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
    const launched = [...this.launching.values()].map((product) => product.catch(() => undefined));
    await Promise.all(launched.map(async (product) => (await product)?.stop()));
  }

  private launch(kind: Kind): Promise<LaunchedProduct> {
    const launch = async (): Promise<LaunchedProduct> => {
      const ports = await Promise.all(Array.from({ length: PAGES_AT_ONCE }, () => freePort()));
      return launchProduct({
        dashboardOrigins: [SHARED_DASHBOARD_ORIGIN, ...ports.map((port) => `http://localhost:${port}`)],
        ...LAUNCHES[kind],
        stack: this.stack,
        hasFewPartitions: true,
      });
    };
    const launching = this.launching.get(kind) ?? launch();
    this.launching.set(kind, launching);
    // The launch may fail on an overloaded machine, and succeed later.
    launching.catch(() => this.launching.delete(kind));
    return launching;
  }
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
export async function sharedProduct({
  reachesLoopback = false,
}: SharedProductOptions = {}): Promise<Product> {
  const kind: Kind = reachesLoopback ? 'loopback' : 'usual';
  const address = process.env[ADDRESS_VARIABLE];
  if (address === undefined) throw new Error(`${ADDRESS_VARIABLE} is not set: tests run by "npm test".`);
  const url = new URL(`${kind}/`, address);
  const product = new UsedProduct(url, JSON.parse(await answerOf(url)) as Description);
  await product.connect();
  return product;
}

async function answerOf(url: URL): Promise<string> {
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(`The shared product could not be launched: ${text}`);
  return text;
}
