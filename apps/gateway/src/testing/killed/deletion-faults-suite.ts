import { beforeAll, describe, expect, it } from '@jest/globals';
import type { JobResource } from '@truetally/contracts/jobs';
import type { ErasedProfile, ErasureResource } from '@truetally/contracts/management';
import { eventually, request } from '@truetally/testing';
import { type LaunchedProduct } from '@truetally/testing-product';
import { queryProduct } from '../query-product.js';
import { FilledSite, type Holdings } from '../filled-site.js';
import { Merchant } from '../merchant.js';
import { ORIGIN, touch } from '../touch-page.js';

const KILLS = 2;
const EVENTS = 1_500;
/** Two pieces of the ledger. */
const TOUCHES = 2_200;
const ORDERS = 30;
const BATCHES_OF_PERSON = 8;
/** Each is a piece of every erasure, whatever is in it. */
const PARTITIONS = 25;
const EVENTS_PER_BATCH = 100;

let product: LaunchedProduct;
let merchant: Merchant;

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

/** Behind those of today and tomorrow: a worker that is killed after the events were erased has their pieces before it. */
async function addPartitions(): Promise<void> {
  await queryProduct(
    product,
    'ingestion',
    `select create_partition(starts, starts + interval '1 second') from (
       select max(ends_at) + make_interval(secs => n) as starts
       from event_partitions, generate_series(1, $1) n group by n) as added`,
    [PARTITIONS],
  );
}

/** Needs management, ingestion and the ledger in processes of their own, and leaves a second management. */
export function whatIsErasedDespiteKills(launched: () => LaunchedProduct): void {
  describe('an erasure', () => {
    beforeAll(async () => {
      product = launched();
      await product.add('management');
      await addPartitions();
      merchant = await Merchant.join(product);
    });

    it('a deletion goes on where it was when its worker is killed, again and again, and erases exactly its site', async () => {
      const [gone, other] = [
        await FilledSite.open(product, merchant),
        await FilledSite.open(product, merchant),
      ];
      await gone.fill(EVENTS, TOUCHES, ORDERS);
      await other.fill(300, 40, 2);
      const [before, kept]: readonly Holdings[] = [await gone.holdings(), await other.holdings()];
      expect(before).toMatchObject({ events: EVENTS, touches: TOUCHES, records: ORDERS });
      const chain = await chainOf(gone.site.id);

      const deleted = await merchant.delete<{ job_id: string }>(`sites/${gone.site.id}`);
      const jobId = String(deleted.body.data?.job_id);
      const kills = await killWorkersOf(jobId, KILLS);
      expect(kills.length).toBeGreaterThan(0);

      await eventually(async () => (await jobRow(jobId)).state === 'completed');
      const { body } = await merchant.get<JobResource>(`jobs/${jobId}`);
      const rows =
        before === undefined ? -1 : before.events + before.followedEvents + before.touches + before.apiKeys;
      expect(body.data).toMatchObject({ total: rows, done: rows, failed: 0, errors: [] });
      const left = Object.entries(await gone.holdings()).filter(([, rows]) => rows > 0);
      expect(left).toEqual([['records', ORDERS]]);
      expect(await chainOf(gone.site.id)).toEqual(chain);
      expect(await other.holdings()).toEqual(kept);
      expect(await other.trackEvent()).toBe(201);
    });

    it('a person’s erasure goes on where it was when its worker and ingestion are killed, and counts nothing twice', async () => {
      const shop = await FilledSite.open(product, merchant);
      const userId = 'a customer';
      const sent = await sendEventsOf(shop, userId);
      const [ledger] = product.processes('attribution-ledger');
      await ledger?.kill();
      // It waits in the log: the erasure comes to the ledger before it, or at the same time.
      expect((await sendTouchOf(shop, 'session-0')).status).toBe(503);
      const path = `profiles/${encodeURIComponent(userId)}?site_id=${shop.site.id}`;
      const erased = (await merchant.delete<ErasedProfile>(path)).body.data;
      if (erased === undefined) throw new Error('The person was not erased.');
      const [ingestion] = product.processes('ingestion');
      await ingestion?.kill();
      // Once: how often a worker may be killed is tried by the deletion.
      const kills = killWorkersOf(erased.job_id, 1);
      await Promise.all([ingestion?.restart(), ledger?.restart()]);
      expect((await kills).length).toBeGreaterThan(0);
      await eventually(async () => (await jobRow(erased.job_id)).state === 'completed', {
        timeoutMs: 240_000,
      });
      const proof = (await merchant.get<ErasureResource>(`profiles/erasures/${erased.erasure_id}`)).body.data;
      const removed = new Map(proof?.services.map((one) => [one.service, one.removed]));
      expect(removed.get('ingestion')?.events).toBe(sent);
      expect(proof?.services.every(({ state }) => state === 'confirmed')).toBe(true);
      const left = await queryProduct(product, 'ingestion', 'select from events where user_id = $1', [
        userId,
      ]);
      expect(left).toEqual([]);
      const touches = await queryProduct(
        product,
        'attribution-ledger',
        'select session_id from touches where site_id = $1',
        [shop.site.id],
      );
      expect(touches).toEqual([{ session_id: null }]);
    });
  });
}

/** Events of one person in several sessions and partitions. @returns how many */
async function sendEventsOf(shop: FilledSite, userId: string): Promise<number> {
  let sent = 0;
  for (let batch = 0; batch < BATCHES_OF_PERSON; batch += 1) {
    const events = Array.from({ length: EVENTS_PER_BATCH }, (_, n) => ({
      event_type: 'page_view',
      session_id: `session-${batch}`,
      client_event_id: `${batch}-${n}`,
      user_id: userId,
      context: { page_url: 'https://shop.example/', user_agent: 'Mozilla/5.0' },
    }));
    const answer = await request<{ stored: number }>(`${product.baseUrl}/events/batch`, {
      headers: { 'x-api-key': shop.apiKey },
      json: { events },
    });
    sent += answer.body.data?.stored ?? 0;
  }
  return sent;
}

function sendTouchOf(shop: FilledSite, sessionId: string) {
  return request(`${product.baseUrl}/partner-attribution/touches`, {
    headers: { authorization: `Bearer ${shop.runtimeToken}`, origin: ORIGIN },
    json: { touches: [touch({ session_id: sessionId })] },
  });
}

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
async function killWorkersOf(jobId: string, kills: number): Promise<readonly string[]> {
  const killed: string[] = [];
  let seen = { done: 0, step: 0 };
  while (killed.length < kills) {
    let row = await jobRow(jobId);
    await eventually(
      async () => {
        row = await jobRow(jobId);
        const isFurther = row.done > seen.done || row.step > seen.step;
        return row.state === 'completed' || (row.lease_owner !== null && isFurther);
      },
      { intervalMs: 40 },
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
