import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ManagementReplicas } from '../testing/management-replicas.js';
import { fieldsOfSubmissions } from './submission.store.js';

let replicas: ManagementReplicas;

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
});

afterAll(() => replicas.stop());

it('the names of the fields of all submissions are read a thousand submissions at a time', async () => {
  const site = await replicas.makeSite((await replicas.makeWorkspace()).id);
  await replicas.owner.query(
    `insert into submissions (id, workspace_id, site_id, campaign_id, session_id, fields, consent, version, created_at, updated_at)
     select gen_random_uuid(), $1, $2, gen_random_uuid(), 'session', json_build_object('all', n, 'of-' || n / 500, n), '{}', 1,
       now() + make_interval(secs => n), now() from generate_series(0, 2499) n`,
    [site.workspace_id, site.id],
  );
  const query = { workspace_id: site.workspace_id, actor: null, params: {}, filters: {}, limit: 1 };
  const pieces: (readonly string[])[] = [];
  let cursor: string | null = null;
  do {
    const piece = await fieldsOfSubmissions(replicas.pool, { ...query, cursor }, [site.id]);
    if ('error' in piece) throw new Error(piece.error.message);
    pieces.push(piece.ok.fields.toSorted());
    cursor = piece.ok.next_cursor;
  } while (cursor !== null);
  expect(pieces).toEqual([
    ['all', 'of-3', 'of-4'],
    ['all', 'of-1', 'of-2'],
    ['all', 'of-0'],
  ]);
});

it('the names of the fields are those of all asked sites', async () => {
  const workspace = await replicas.makeWorkspace();
  const sites = [await replicas.makeSite(workspace.id), await replicas.makeSite(workspace.id)];
  for (const [index, { id }] of sites.entries())
    await replicas.owner.query(
      `insert into submissions (id, workspace_id, site_id, campaign_id, session_id, fields, consent, version, created_at, updated_at)
       values (gen_random_uuid(), $1, $2, gen_random_uuid(), 'session', json_build_object('of-' || $3::text, 1), '{}', 1, now(), now())`,
      [workspace.id, id, index],
    );
  const query = { workspace_id: workspace.id, actor: null, params: {}, filters: {}, limit: 1, cursor: null };
  const piece = await fieldsOfSubmissions(
    replicas.pool,
    query,
    sites.map(({ id }) => id),
  );
  expect('ok' in piece && piece.ok.fields.toSorted()).toEqual(['of-0', 'of-1']);
});
