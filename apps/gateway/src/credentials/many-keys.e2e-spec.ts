import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from '@truetally/testing';
import {
  launchProduct,
  type LocalGateway,
  type LaunchedProduct,
  publishKeys,
} from '@truetally/testing-product';
import { OLD_SPACE_MIB, whatCampaignsLeaveOut } from '../testing/campaign-memory-suite.js';

const KEYS = 100_000;
/**
 * The keys (`key-directory.spec.ts`), and a new space of 128 MiB that may be full of the garbage of reading them: when it is
 * collected depends on the machine.
 */
const MAX_MEMORY_MIB = 90 + 128;
const KIB_PER_MIB = 1_024;

let product: LaunchedProduct;

beforeAll(async () => {
  product = await launchProduct({ services: ['management', 'gateway'], oldSpaceMib: OLD_SPACE_MIB });
});

afterAll(() => product.stop());

/**
 * The guarantee of docs/decisions/api-keys.md, over a real topic and a real process; `npm run bench` measures
 * the speed.
 */
describe(`a gateway with ${KEYS} API keys`, () => {
  it(`takes at most ${MAX_MEMORY_MIB} MiB more, and knows the last of them when it is ready`, async () => {
    const without = residentMib(product.gateway);
    const { kafkaBrokers, topicPrefix } = product.installation;
    await publishKeys(kafkaBrokers, topicPrefix, KEYS);
    const site = await product.createSite();
    const { key } = await product.createApiKey(site, { scopes: ['events:write'] });
    const gateway = await product.addGateway();
    expect(residentMib(gateway) - without).toBeLessThanOrEqual(MAX_MEMORY_MIB);
    // Only a known caller learns what is wrong with the body.
    const send = (apiKey: string) =>
      request(`${gateway.baseUrl}/events/track`, { headers: { 'x-api-key': apiKey }, json: {} });
    expect((await send(key)).status).toBe(400);
    expect((await send(key.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')))).status).toBe(401);
    // It would read all campaigns, too.
    product.forget(gateway);
    await gateway.stop();
  });
});

// Beside the keys: a gateway has room for both.
whatCampaignsLeaveOut(() => product);

/** Resident memory of the process. */
function residentMib({ pid }: LocalGateway): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / KIB_PER_MIB;
}
