import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JobResource, JobSummary } from '@truetally/contracts/jobs';
import type { ProfileResource, SubmissionResource } from '@truetally/contracts/management';
import type { Page } from '@truetally/contracts/resource';
import { type Product, sharedProduct } from '@truetally/testing-product';
import { PeopleShop } from '../testing/people-shop.js';

let product: Product;
let shop: PeopleShop;

beforeAll(async () => {
  product = await sharedProduct();
  shop = await PeopleShop.open(product);
});

afterAll(() => product.stop());

describe('interface page, section 9: submissions', () => {
  it('a submission is stored with the consent to it, and read by every member', async () => {
    const sessionId = randomUUID();
    const created = await shop.page<SubmissionResource>(
      'submissions',
      shop.submission({ session_id: sessionId }),
    );
    expect([created.status, created.body.data]).toMatchObject([
      201,
      {
        site_id: shop.siteId,
        ...shop.submission({ session_id: sessionId }),
        consent: { granted: true, text: 'Send me news.', at: '2026-01-31T09:30:00.000Z' },
      },
    ]);
    const { id } = created.body.data as SubmissionResource;
    const read = await shop.analyst.get<SubmissionResource>(`submissions/${id}`);
    expect(read.body.data).toEqual(created.body.data);
    const listed = await shop.analyst.get<Page<SubmissionResource>>(
      `submissions?site_id=${shop.siteId}&campaign_id=${shop.campaign.id}&session_id=${sessionId}`,
    );
    expect(listed.body.data?.items).toEqual([created.body.data]);
  });

  it.each<[string, object, string]>([
    ['without consent', { consent: undefined }, 'consent.granted'],
    ['with a consent that was not granted', { consent: { granted: false } }, 'consent.granted'],
    [
      'with a consent of the day after tomorrow',
      { consent: { granted: true, at: '2999-01-01T00:00:00Z' } },
      'consent.at',
    ],
    ['without fields', { fields: {} }, 'fields'],
    ['with fields that are too large', { fields: { a: 'x'.repeat(17_000) } }, 'fields'],
  ])('a submission %s is 400, and names the field', async (_, changes, field) => {
    const answer = await shop.page('submissions', shop.submission(changes));
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body.error?.details ?? {})).toContain(field);
  });

  it('a submission to a campaign of nobody is 404', async () => {
    const answer = await shop.page('submissions', shop.submission({ campaign_id: randomUUID() }));
    expect(answer.status).toBe(404);
  });

  it('submissions of one session beyond twenty in an hour are 429, and those of others are stored', async () => {
    const sessionId = randomUUID();
    const statuses = await Promise.all(
      Array.from(
        { length: 22 },
        async () => (await shop.page('submissions', shop.submission({ session_id: sessionId }))).status,
      ),
    );
    expect(statuses.toSorted()).toEqual([...Array<number>(20).fill(201), 429, 429]);
    const refused = await shop.page('submissions', shop.submission({ session_id: sessionId }));
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await shop.page('submissions', shop.submission())).status).toBe(201);
  });

  it('visitors whose page sends one Idempotency-Key for all have each a submission of their own', async () => {
    const send = async (sessionId: string) => {
      const body = shop.submission({ session_id: sessionId });
      return (await shop.page<SubmissionResource>('submissions', body, { 'idempotency-key': 'form-1' })).body
        .data;
    };
    const [one, two] = [randomUUID(), randomUUID()];
    const sent = [await send(one), await send(two)];
    expect(sent.map((submission) => submission?.session_id)).toEqual([one, two]);
    expect(new Set(sent.map((submission) => submission?.id)).size).toBe(2);
  });

  it('submissions are exported as CSV, a column per field, and no cell is a formula', async () => {
    const sessionId = randomUUID();
    const fields = { '=name': '=HYPERLINK("http://x")', note: 'a, "b"' };
    await shop.page('submissions', shop.submission({ session_id: sessionId, fields }));
    const file = await shop.analyst.get(`submissions.csv?site_id=${shop.siteId}&session_id=${sessionId}`);
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="submissions.csv"');
    const [header = '', row = ''] = file.text.split('\r\n');
    expect(header).toBe(
      'id,created_at,campaign_id,session_id,consent_text,consent_at,fields.=name,fields.note,other_fields',
    );
    expect(row).toContain(`,"'=HYPERLINK(""http://x"")","a, ""b""",`);
    expect((await shop.analyst.get('submissions.csv')).status).toBe(400);
  });
});

describe('interface page, section 9: profiles', () => {
  it('an import merges its good rows, and names each bad one without its values', async () => {
    const [ann, bob] = [`ann ${randomUUID()}`, `bob/${randomUUID()}`];
    const job = await shop.imported([
      { user_id: ann, email: 'Ann@Shop.example', attributes: { size: { shoe: 41 }, tags: ['a'] } },
      { user_id: bob, email: 'not an address' },
      { email: 'nobody@shop.example' },
      { user_id: ann, name: 'Ann', attributes: { size: { hat: 7 }, tags: null } },
    ]);
    expect(job).toMatchObject({
      type: 'profiles.import',
      state: 'completed',
      total: 4,
      done: 4,
      stored: 2,
      failed: 2,
    });
    expect(job.errors.map(({ row, field }) => [row, field])).toEqual([
      [2, 'email'],
      [3, 'user_id'],
    ]);
    expect(JSON.stringify(job.errors)).not.toContain('not an address');
    const read = await shop.analyst.get<ProfileResource>(shop.profilePath(ann));
    expect(read.body.data).toMatchObject({
      ...{ user_id: ann, email: 'ann@shop.example', name: 'Ann', phone: null },
      attributes: { size: { shoe: 41, hat: 7 } },
    });
    expect((await shop.analyst.get(shop.profilePath(bob))).status).toBe(404);
    const listed = await shop.analyst.get<Page<ProfileResource>>(
      `profiles?site_id=${shop.siteId}&email=ann@shop.example`,
    );
    expect(listed.body.data?.items.map(({ user_id }) => user_id)).toContain(ann);
    expect((await shop.analyst.get(`profiles.csv?site_id=${shop.siteId}`)).text).toContain(ann);
  });

  it('an import is followed by keys with its scope, and shown in the list of jobs', async () => {
    const job = await shop.imported([{ user_id: randomUUID() }]);
    const followed = await shop.backend<JobResource>('GET', `profiles/imports/${job.job_id}`);
    expect(followed.body.data).toEqual(job);
    const listed = await shop.analyst.get<Page<JobSummary>>(
      `jobs?type=profiles.import&state=completed&site_id=${shop.siteId}`,
    );
    const { errors, ...summary } = job;
    expect(errors).toEqual([]);
    expect(listed.body.data?.items[0]).toEqual(summary);
    expect(summary).toMatchObject({ site_id: shop.siteId, cancellable: false });
    expect(summary.started_by).toMatch(/^key:/);
    expect((await shop.backend('GET', `profiles/imports/${randomUUID()}`)).status).toBe(404);
  });

  it.each<[string, unknown]>([
    ['without profiles', {}],
    ['of no profiles', { profiles: [] }],
    ['of too many profiles', { profiles: Array.from({ length: 1_001 }, (_, n) => ({ user_id: `u${n}` })) }],
    ['with an unknown field', { profiles: [{ user_id: 'u' }], site: 1 }],
  ])('an import %s is 400', async (_, body) => {
    expect((await shop.backend('POST', 'profiles/import', body as object)).status).toBe(400);
  });

  it('an import of the largest size is read, and one that inflates to more is 413', async () => {
    const sized = (bytes: number) => {
      const text = JSON.stringify({ profiles: [{ user_id: randomUUID() }] });
      return shop.compressed('profiles/import', gzipSync(text.padEnd(bytes)));
    };
    const LARGEST = 32 * 1024 * 1024;
    expect((await sized(LARGEST)).status).toBe(202);
    const bomb = await sized(LARGEST + 1);
    expect([bomb.status, bomb.body.error?.code]).toEqual([413, 'BAD_REQUEST']);
  });

  it('profiles are members’ to read and the shop’s backend’s to write', async () => {
    expect((await shop.backend('GET', shop.profilePath('u'))).status).toBe(401);
    expect((await shop.merchant.post('profiles/import', { profiles: [{ user_id: 'u' }] })).status).toBe(401);
    expect((await shop.analyst.delete(shop.profilePath('u'))).status).toBe(403);
    expect((await shop.analyst.get('profiles/u')).status).toBe(400);
  });
});
