import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestStack } from '@truetally/testing';
import { launchProduct, type LaunchedProduct } from './launch-product.js';
import { type GatewayAddresses, Product } from './product.js';
import type { Installation } from './services.js';

/** What a test needs to use a product that another process has launched. */
interface Description {
  readonly installation: Installation;
  readonly gateways: readonly GatewayAddresses[];
}

/** The variable by which tests find the run's product. */
const ADDRESS_VARIABLE = 'TEST_PRODUCT_URL';
/** The dashboard origin that the shared product's gateway allows. */
export const SHARED_DASHBOARD_ORIGIN = 'https://dashboard.example';

/** One product for all tests of a run that only use it, launched at the first request. */
export class ProductForAll {
  private launching: Promise<LaunchedProduct> | undefined;

  private constructor(
    private readonly server: Server,
    private readonly stack: TestStack,
  ) {}

  static async offer(stack: TestStack): Promise<ProductForAll> {
    const server = createServer((_, response) => {
      // A test process asks seldom: a connection that it keeps could be closed while it asks again.
      response.setHeader('Connection', 'close');
      offered.describe().then(
        (description) => response.end(JSON.stringify(description)),
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

  private async describe(): Promise<Description> {
    this.launching ??= launchProduct({
      stack: this.stack,
      inOneProcess: true,
      env: { gateway: { DASHBOARD_ORIGINS: SHARED_DASHBOARD_ORIGIN } },
    });
    // The launch may fail on an overloaded machine, and succeed later.
    this.launching.catch(() => (this.launching = undefined));
    const { installation, gateways } = await this.launching;
    return {
      installation,
      gateways: gateways.map(({ baseUrl, adminUrl }) => ({ baseUrl, adminUrl })),
    };
  }
}

class UsedProduct extends Product {
  constructor(private readonly description: Description) {
    super(description.installation);
  }

  get gateways(): readonly GatewayAddresses[] {
    return this.description.gateways;
  }
}

/**
 * The shared product of a test run. Tests that stop processes, set their environment, count global effects or
 * exhaust shared limits launch their own (`launchProduct`).
 */
export async function sharedProduct(): Promise<Product> {
  const address = process.env[ADDRESS_VARIABLE];
  if (address === undefined) throw new Error(`${ADDRESS_VARIABLE} is not set: tests run by "npm test".`);
  const response = await fetch(address);
  const text = await response.text();
  if (!response.ok) throw new Error(`The shared product could not be launched: ${text}`);
  const product = new UsedProduct(JSON.parse(text) as Description);
  await product.connect();
  return product;
}
