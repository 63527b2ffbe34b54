import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { JobResource } from '@truetally/contracts/jobs';
import { eventually } from '@truetally/testing';
import { launchProduct, type LaunchedProduct } from '@truetally/testing-product';
import { queryProduct } from '../testing/query-product.js';
import { FilledSite, type Holdings } from '../testing/filled-site.js';
import { Merchant } from '../testing/merchant.js';

const KILLS = 4;
const EVENTS = 4_000;
const TOUCHES = 4_400;
const ORDERS = 30;

let product: LaunchedProduct;
let merchant: Merchant;

beforeAll(async () => {
  // Partitions of one second: a site's events are in many of them, so that their erasure takes many pieces.
  product = await launchProduct({
    replicas: { management: 2 },
    env: { ingestion: { EVENT_PARTITION_SECONDS: '1' } },
  });
  merchant = await Merchant.join(product);
});

afterAll(() => product.stop());

interface JobRow {
  readonly lease_owner: string | null;
  readonly state: string;
  readonly done: number;
  readonly step: number;
}

async function jobRow(jobId: string): Promise<JobRow> {
  const [row] = await queryProduct<JobRow>(
    product,
    'management',
    'select lease_owner, state, done::integer, step from jobs where job_id = $1',
    [jobId],
  );
  if (row === undefined) throw new Error('There is no such job.');
  return row;
}

it('a deletion goes on where it was when its worker is killed, again and again, and erases exactly its site', async () => {
  const [gone, other] = [await FilledSite.open(product, merchant), await FilledSite.open(product, merchant)];
  await gone.fill(EVENTS, TOUCHES, ORDERS);
  await other.fill(300, 40, 2);
  const [before, kept]: readonly Holdings[] = [await gone.holdings(), await other.holdings()];
  expect(before).toMatchObject({ events: EVENTS, touches: TOUCHES, records: ORDERS });
  const chain = await chainOf(gone.site.id);

  const deleted = await merchant.delete<{ job_id: string }>(`sites/${gone.site.id}`);
  const jobId = String(deleted.body.data?.job_id);
  const kills = await killWorkersOf(jobId);
  expect(kills.length).toBeGreaterThan(0);

  await eventually(async () => (await jobRow(jobId)).state === 'completed');
  const { body } = await merchant.get<JobResource>(`jobs/${jobId}`);
  const rows = before === undefined ? -1 : before.events + before.touches + before.apiKeys;
  expect(body.data).toMatchObject({ total: rows, done: rows, failed: 0, errors: [] });
  const left = Object.entries(await gone.holdings()).filter(([, rows]) => rows > 0);
  expect(left).toEqual([['records', ORDERS]]);
  expect(await chainOf(gone.site.id)).toEqual(chain);
  expect(await other.holdings()).toEqual(kept);
  expect(await other.trackEvent()).toBe(201);
});

/** The seals of a site's ledger, in order. */
function chainOf(siteId: string) {
  return queryProduct(
    product,
    'attribution-ledger',
    'select chain_sequence, hash from records where site_id = $1 order by chain_sequence',
    [siteId],
  );
}

/** Whenever the job has progressed, its replica gets SIGKILL, and another one must continue. */
async function killWorkersOf(jobId: string): Promise<readonly string[]> {
  const killed: string[] = [];
  let seen = { done: 0, step: 0 };
  while (killed.length < KILLS) {
    let row = await jobRow(jobId);
    await eventually(
      async () => {
        row = await jobRow(jobId);
        const isFurther = row.done > seen.done || row.step > seen.step;
        return row.state === 'completed' || (row.lease_owner !== null && isFurther);
      },
      { intervalMs: 2 },
    );
    if (row.state === 'completed') break;
    seen = row;
    const worker = product
      .processes('management')
      .find((one) => one.output().includes(String(row.lease_owner)));
    if (worker === undefined) throw new Error(`Nobody is called ${row.lease_owner}.`);
    await worker.kill();
    killed.push(String(row.lease_owner));
    await worker.restart();
  }
  return killed;
}
