import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { inTransaction } from '@truetally/persistence';
import type { Queryable } from '@truetally/resource';
import { eraseProfile } from '../erasures/erase-profile.js';
import { listErasures } from '../erasures/list-erasures.js';
import { eraseSome, WORKSPACE_ERASURES } from '../jobs/erasures.js';
import { explain } from '../testing/explain.js';
import { accepted, ManagementReplicas, OWNER } from '../testing/management-replicas.js';
import { type ErasedSubmissions, eraseSubmissionsOfPerson } from './person-submissions.js';

let replicas: ManagementReplicas;

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
});

afterAll(() => replicas.stop());

it('the deletion of a workspace finishes open erasures, and keeps nothing of whom they erase', async () => {
  const { id: workspaceId } = await replicas.makeWorkspace();
  const site = await replicas.makeSite(workspaceId);
  const command = {
    workspace_id: workspaceId,
    actor: { sub: OWNER, email: null, key_id: null, key_prefix: null },
    params: {},
    version: null,
    idempotency: null,
    body: { site_id: site.id, user_id: 'person@example.com' },
  };
  const begun = await replicas.next().command(command, randomUUID(), eraseProfile);
  const { erasure_id: id } = accepted<{ data: { readonly erasure_id: string } }>(begun).data;
  await replicas.owner.query(`insert into erasure_subjects values ($1, 'session-1')`, [id]);
  const erase = () =>
    inTransaction(replicas.pool, (client) => eraseSome(client, WORKSPACE_ERASURES, workspaceId));
  while ((await erase()) !== undefined);
  const nameless = 'user_id is null and email is null and requested_by is null and finished_at is not null';
  expect(await replicas.count('erasures', `erasure_id = '${id}' and ${nameless}`)).toBe(1);
  expect(await replicas.count('erasure_subjects', `erasure_id = '${id}'`)).toBe(0);
  expect(await replicas.count('erasure_services', `erasure_id = '${id}' and confirmed_at is null`)).toBe(0);
});

it('a page of proofs reads no more of each site than it shows, and of one person theirs alone', async () => {
  const { id: workspaceId } = await replicas.makeWorkspace();
  const sites = [await replicas.makeSite(workspaceId), await replicas.makeSite(workspaceId)];
  for (const [index, { id: siteId }] of sites.entries()) {
    await replicas.owner.query('select announce_person($1, $2)', [siteId, 'person']);
    await replicas.owner.query(
      `insert into erasures (erasure_id, workspace_id, site_id, person_hash, job_id, requested_at)
       select gen_random_uuid(), $1, $2, case when n = 1 then hash_of_person(key, 'person') else uuid_send(gen_random_uuid()) end,
         gen_random_uuid(), '2026-01-01'::timestamptz + make_interval(secs => 2 * n + $3)
       from person_keys, generate_series(1, 5000) as n where site_id = $2`,
      [workspaceId, siteId, index],
    );
  }
  await replicas.owner.query('analyze erasures');
  const query = { workspace_id: workspaceId, actor: null, params: {}, limit: 10, cursor: null };
  for (const [filters, shown, indexes] of [
    [{}, 10, 'erasures_of_site'],
    [{ user_id: 'person' }, sites.length, 'erasures_of_person'],
  ] as const) {
    const list = (client: Queryable) => listErasures(client, { ...query, filters });
    const { items } = accepted<{ items: readonly { requested_at: string }[] }>(await list(replicas.pool));
    expect(items).toHaveLength(shown);
    expect(items.map((item) => item.requested_at)).toEqual(
      items
        .map((item) => item.requested_at)
        .toSorted()
        .toReversed(),
    );
    const plan = await explain(replicas, list);
    expect(plan.indexes).toContain(indexes);
    expect(plan.mostRows).toBeLessThanOrEqual(sites.length * (query.limit + 1));
  }
});

it('submissions that name a person are erased, wherever among their fields they do, and no others', async () => {
  const { id: workspaceId } = await replicas.makeWorkspace();
  const { id: siteId } = await replicas.makeSite(workspaceId);
  const others = [
    '{"email":"else@shop.example"}',
    '{"note":"me@shop.example wrote it"}',
    '{"size":1e400000}',
  ];
  for (const fields of [
    '{"email":" ME@shop.example"}',
    '{"contact":{"email":"me@shop.example","age":1}}',
    '{"people":[{"name":"A"},["else@shop.example","Me@Shop.example"]]}',
    '{"customer":42}',
    '{"customer":{"id":"42"}}',
    ...others,
  ])
    await replicas.owner.query(
      `insert into submissions (id, workspace_id, site_id, campaign_id, session_id, fields, consent, created_at, updated_at)
       values (gen_random_uuid(), $1, $2, gen_random_uuid(), 's', $3, '{}', now(), now())`,
      [workspaceId, siteId, fields],
    );
  const erasure = {
    erasureId: randomUUID(),
    siteId,
    userId: '42',
    email: 'me@shop.example',
    requestedAtMs: 0,
  };
  let cursor: string | null = null;
  let gone = 0;
  do {
    const piece: ErasedSubmissions = await inTransaction(replicas.pool, (client) =>
      eraseSubmissionsOfPerson(client, erasure, cursor),
    );
    cursor = piece.next;
    gone += piece.erased;
  } while (cursor !== null);
  const { rows } = await replicas.owner.query<{ fields: string }>(
    'select fields::text from submissions where site_id = $1',
    [siteId],
  );
  expect(rows.map(({ fields }) => fields)).toEqual(expect.arrayContaining(others));
  expect([gone, rows.length]).toEqual([5, others.length]);
});
