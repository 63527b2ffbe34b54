import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { ChainResource, SealedRecord } from '@truetally/contracts/attribution';
import type { JobResource } from '@truetally/contracts/jobs';
import { eventually } from '@truetally/testing';
import { sharedProduct, type Product } from '@truetally/testing-product';
import { LedgerShop } from '../../testing/ledger-shop.js';
import { Merchant } from '../../testing/merchant.js';

const WAIT = { timeoutMs: 240_000 };
const VERIFICATIONS = 'partner-attribution/chain/verifications';

describe('interface page, section 6: GET /partner-attribution/chain and its verifications', () => {
  let product: Product;
  let owner: Merchant;
  let shop: LedgerShop;

  beforeAll(async () => {
    product = await sharedProduct();
    owner = await Merchant.join(product);
    shop = await openShop();
    await shop.record(shop.bodies.purchase('one'));
    await shop.record(shop.bodies.purchase('other'));
    await shop.record(shop.bodies.adjustment('one', 2));
  });

  afterAll(() => product.stop());

  const openShop = () => LedgerShop.open(product, { workspace_id: owner.workspaceId });
  const chainOf = async (of: LedgerShop): Promise<ChainResource> => {
    const { status, body } = await of.get<ChainResource>('chain');
    expect([status, body.error]).toEqual([200, undefined]);
    if (body.data === undefined) throw new Error('A chain has data.');
    return body.data;
  };
  const begin = (body: object, by = owner) => by.post<{ job_id: string }>(VERIFICATIONS, body);
  const ended = async (jobId: string | undefined): Promise<JobResource | undefined> => {
    let job: JobResource | undefined;
    await eventually(async () => {
      job = (await owner.get<JobResource>(`jobs/${jobId}`)).body.data;
      return ['completed', 'failed', 'cancelled'].includes(job?.state ?? '');
    }, WAIT);
    return job;
  };

  it('the head of a chain is its newest record, and null before the first', async () => {
    const empty = await openShop();
    expect(await chainOf(empty)).toEqual({
      website_id: empty.site.id,
      head: null,
      last_verification: null,
    });
    const records = await shop.items<SealedRecord>('chain/records');
    const { head } = await chainOf(shop);
    expect(head).toMatchObject({ sequence: '3', hash: records.at(-1)?.hash });
    expect((await shop.order('one')).entries.at(-1)?.recorded_at).toBe(head?.recorded_at);
  });

  it('a verification is a job of type ledger.verify, and its result stands in the chain', async () => {
    const website_id = shop.site.id;
    const begun = await begin({ website_id });
    expect([begun.status, Object.keys(begun.body.data ?? {})]).toEqual([202, ['job_id']]);
    expect(await ended(begun.body.data?.job_id)).toMatchObject({
      type: 'ledger.verify',
      state: 'completed',
      site_id: website_id,
      total: 3,
      done: 3,
      stored: 3,
      failed: 0,
      errors: [],
    });
    const { head, last_verification: last } = await chainOf(shop);
    expect(last).toMatchObject({
      state: 'sound',
      from_sequence: '1',
      to_sequence: '3',
      to_hash: head?.hash,
      broken: null,
    });
    expect(Date.parse(last?.finished_at ?? '')).toBeGreaterThanOrEqual(Date.parse(last?.started_at ?? ''));
  });

  it('a verification from a position covers the records from there on, and none behind the end', async () => {
    const own = await openShop();
    for (const order of ['one', 'other']) await own.record(own.bodies.purchase(order));
    const website_id = own.site.id;
    // The ledger itself verifies the new chain once, and may be the last to do so.
    await eventually(async () => {
      const job = await ended((await begin({ website_id, from_sequence: '2' })).body.data?.job_id);
      expect(job).toMatchObject({ state: 'completed', done: 1 });
      const { last_verification: last } = await chainOf(own);
      expect(last).toMatchObject({ state: 'sound', to_sequence: '2' });
      return last?.from_sequence === '2';
    }, WAIT);
    const behind = await ended((await begin({ website_id, from_sequence: '9' })).body.data?.job_id);
    expect(behind).toMatchObject({ state: 'failed' });
    expect(JSON.stringify(behind?.errors)).toContain('The chain ends with record 2.');
  });

  it('one verification of a site is under way at a time: another is 409', async () => {
    const own = await openShop();
    await own.record(own.bodies.purchase('one'));
    const website_id = own.site.id;
    // A job may have ended before the last request comes; of some bursts one is refused.
    await eventually(async () => {
      const answers = await Promise.all(Array.from({ length: 6 }, () => begin({ website_id })));
      const refused = answers.filter(({ status }) => status !== 202);
      for (const { status, body } of refused) {
        expect([status, body.error?.code]).toEqual([409, 'CONFLICT']);
        expect(Object.keys(body.error?.details ?? {})).toEqual(['website_id']);
      }
      for (const { status, body } of answers) if (status === 202) await ended(body.data?.job_id);
      return refused.length > 0;
    }, WAIT);
    expect((await begin({ website_id })).status).toBe(202);
  });

  it('verifications are begun by owners and admins of the site’s workspace', async () => {
    const [admin, analyst, outsider] = await Promise.all([
      owner.invite('admin'),
      owner.invite('analyst'),
      Merchant.join(product),
    ]);
    const own = await openShop();
    const website_id = own.site.id;
    const statuses = [analyst, outsider, admin].map(async (by) => (await begin({ website_id }, by)).status);
    expect(await Promise.all(statuses)).toEqual([403, 404, 202]);
    expect((await begin({ website_id: randomUUID() })).status).toBe(404);
  });

  it('every broken rule of the body is 400 and named', async () => {
    const website_id = shop.site.id;
    const broken: readonly [object, readonly string[]][] = [
      [{}, ['website_id']],
      [{ website_id: 'x', from_sequence: '0' }, ['from_sequence', 'website_id']],
      [{ website_id, from_sequence: 1 }, ['from_sequence']],
      [{ website_id, from_sequence: '-1' }, ['from_sequence']],
      [{ website_id, to_sequence: '3' }, ['to_sequence']],
    ];
    for (const [body, names] of broken) {
      const answer = await begin(body);
      const { code, details } = answer.body.error ?? {};
      expect([answer.status, code, Object.keys(details ?? {}).sort()]).toEqual([
        400,
        'VALIDATION_ERROR',
        names,
      ]);
    }
  });

  it('a repeated request with its Idempotency-Key begins one job', async () => {
    const own = await openShop();
    const headers = { 'idempotency-key': randomUUID() };
    const body = { website_id: own.site.id };
    const first = await owner.post<{ job_id: string }>(VERIFICATIONS, body, headers);
    const second = await owner.post<{ job_id: string }>(VERIFICATIONS, body, headers);
    expect([first.status, second.status, second.body.data]).toEqual([202, 202, first.body.data]);
  });

  it('the chain is for keys with partner_attribution:read of this site, and for members', async () => {
    const { key } = await product.createApiKey(shop.site, { scopes: ['partner_attribution:convert'] });
    const other = await openShop();
    const as = (token: string) => ({ authorization: `Bearer ${token}` });
    const outsider = await Merchant.join(product);
    const answers = await Promise.all([
      shop.get('chain'),
      shop.get('chain', {}, as(owner.token)),
      shop.get('chain', {}, { 'x-api-key': key }),
      shop.get('chain', {}, { 'x-api-key': other.key }),
      shop.get('chain', {}, as(outsider.token)),
      shop.get('chain', {}, {}),
      shop.get('chain', { limit: '1' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 403, 403, 404, 401, 400]);
  });
});
