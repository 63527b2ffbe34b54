import { execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createTestDatabase,
  NODE_BINARY,
  REPOSITORY_ROOT,
  type TestDatabase,
  uniqueName,
} from '@truetally/testing';
import { type Product, sharedProduct } from '@truetally/testing-product';
import { SampleRunner, type Surroundings } from '../testing/sample-runner.js';
import { isRun, PAGES, type Sample, samplesIn } from './samples.js';

const ORIGIN = 'https://shop.example';
const BUNDLES = ['node-sdk', 'worker'] as const;
const READY_MS = 240_000;

describe('samples of the guides, at the running product', () => {
  let product: Product;
  let database: TestDatabase;
  let receiver: Server;

  beforeAll(async () => {
    for (const name of BUNDLES) {
      execFileSync(NODE_BINARY, [join(REPOSITORY_ROOT, 'libs', name, 'bundle.mjs')], { timeout: READY_MS });
    }
    product = await sharedProduct();
    database = await createTestDatabase('guides');
    receiver = createServer((request, response) => {
      request.resume();
      response.end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  });

  afterAll(async () => {
    receiver.close();
    receiver.closeAllConnections();
    await product.stop();
  });

  /** A site of its own for each page: what one page stores is not in another one's figures. */
  async function surroundings(): Promise<Surroundings> {
    const sub = uniqueName('owner');
    const partner = { providers: ['awin', 'cj'], touch_limit: 20 };
    const site = await product.createSite({ allowed_origins: [ORIGIN], partner });
    await product.asks.addMember({ workspace_id: site.workspace_id, sub, role: 'owner' });
    const { key } = await product.createApiKey(site);
    const { kafkaBrokers, topicPrefix } = product.installation;
    const { port } = receiver.address() as AddressInfo;
    const databaseUrl = new URL(database.ownerUrl);
    databaseUrl.searchParams.set('options', `-c search_path=${database.schema}`);
    return {
      stack: {
        base_url: product.baseUrl,
        api_key: key,
        site_id: site.id,
        origin: ORIGIN,
        webhook_receiver_url: `http://127.0.0.1:${port}/`,
        id_tokens: { owner: await product.idToken({ sub }) },
      },
      environment: {
        TRUETALLY_KEY: key,
        TRUETALLY_SITE: site.id,
        WEBHOOK_SECRET: `whsec_${Buffer.alloc(24, 'guide').toString('base64')}`,
        DATABASE_URL: databaseUrl.href,
      },
      replaced: {
        'https://api.example/api/v1': product.baseUrl,
        "brokers: ['127.0.0.1:9092'],": `brokers: ['${kafkaBrokers}'], topicPrefix: '${topicPrefix}',`,
      },
    };
  }

  it.each(PAGES.filter((page) => samplesIn(page).some(isRun)))('every sample of %s runs', async (page) => {
    const runner = SampleRunner.open(await surroundings());
    try {
      await runner.run(samplesIn(page).filter(isRun));
    } finally {
      runner.close();
    }
  });

  it('a page whose command is refused, or whose program throws, does not run', async () => {
    const runner = SampleRunner.open(await surroundings());
    const one = (language: string, text: string): Sample => ({ language, text, line: 1, marker: undefined });
    const refused = `curl -s "$(node -p "require('./.local/stack.json').base_url")/jobs" | head -c 99`;
    await expect(runner.run([one('sh', refused)])).rejects.toThrow('UNAUTHORIZED');
    const untold = `until curl -s "${product.baseUrl}/jobs"; do sleep 1; done`;
    await expect(runner.run([one('sh', untold)])).rejects.toThrow('Refused');
    await expect(runner.run([one('js', "throw new Error('It threw.');")])).rejects.toThrow('It threw.');
    runner.close();
  });
});
