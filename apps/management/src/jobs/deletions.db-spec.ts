import { randomUUID } from 'node:crypto';
import { uniqueName } from '@truetally/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SiteResource } from '@truetally/contracts/management';
import type { ResourceCommand } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import { deleteSite } from '../delete-site/delete-site.js';
import { deleteWorkspace } from '../delete-workspace/delete-workspace.js';
import {
  accepted,
  keyBody,
  ManagementReplicas,
  NOTHING_KNOWN,
  republishFacts,
  OWNER,
  siteBody,
} from '../testing/management-replicas.js';
import { JobLeases } from '../storage/job-leases.js';
import { nextStep } from '../domain/job-steps.js';
import { DELETIONS } from './deletions.js';
import { SITE_ERASURES, WORKSPACE_ERASURES } from './erasures.js';

/** The services with data of sites, in the order of their erasure. */
const ASKED = [
  'ingestion',
  'attribution-ledger',
  'experiments',
  'publisher-analytics',
  'outbound',
  'analytics',
];

interface Deleted {
  readonly id: string;
  readonly deleted: true;
  readonly job_id: string;
}

let replicas: ManagementReplicas;

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
});

afterAll(() => replicas.stop());

function commandOf(workspaceId: string, params: Record<string, string>): ResourceCommand {
  const actor = { sub: OWNER, email: null, key_id: null, key_prefix: null };
  return { workspace_id: workspaceId, actor, params, version: null, idempotency: null, body: null };
}

function removeSite(site: SiteResource, version: number | null = null): Promise<Reply<{ data: unknown }>> {
  const command = { ...commandOf(site.workspace_id, { site_id: site.id }), version };
  return replicas.next().command(command, randomUUID(), deleteSite);
}

function removeWorkspace(workspaceId: string): Promise<Reply<{ data: unknown }>> {
  const command = commandOf(workspaceId, { workspace_id: workspaceId });
  return replicas.next().command(command, randomUUID(), deleteWorkspace);
}

function deleted(reply: Reply<{ data: unknown }>): Deleted {
  return accepted<{ data: Deleted }>(reply).data;
}

/** Executes a job's own part in this service; the tests of other services cover the rest. */
async function runHere(): Promise<readonly string[]> {
  const leases = new JobLeases({ pool: replicas.pool, owner: 'test', leaseMs: 60_000 });
  const elsewhere: string[] = [];
  let job = await leases.take(Object.keys(DELETIONS));
  while (job !== undefined) {
    const plan = DELETIONS[job.type]?.plan(job) ?? [];
    const step = nextStep(plan, job);
    const { cursor } = job;
    if (step.place === 'elsewhere' && typeof step.params === 'object')
      elsewhere.push(`${step.operation.address} ${step.params['site_id']}`);
    const none = { cursor: null, found: 0, done: 0, stored: 0, failed: 0, errors: [] };
    const advanced = await leases.advance(job, { name: step.name, plan }, (client) =>
      step.place === 'here' ? step.run(client, cursor) : Promise.resolve({ report: none }),
    );
    if (advanced === 'finished') job = await leases.take(Object.keys(DELETIONS));
    else if (typeof advanced === 'object' && 'jobId' in advanced) job = advanced;
    else throw new Error(`The job does not go on: ${JSON.stringify(advanced)}.`);
  }
  await replicas.allPublished();
  return elsewhere;
}

/** The latest fact of a key of a compacted topic: null is a tombstone. */
function lastValue(topic: string, key: string): string | null | undefined {
  return replicas.published.findLast((fact) => fact.topic === topic && fact.key === key)?.value;
}

async function column(sql: string, ...values: readonly string[]): Promise<readonly unknown[]> {
  const { rows } = await replicas.owner.query<{ value: unknown }>(sql, [...values]);
  return rows.map((row) => row.value);
}

describe('deleting a site', () => {
  it('takes it from readers and gateways at once, and begins a job', async () => {
    const site = await replicas.makeSite((await replicas.makeWorkspace()).id);
    const { id, job_id } = deleted(await removeSite(site));
    expect(id).toBe(site.id);
    await replicas.allPublished();
    expect(lastValue('sites.v1', site.id)).toBeNull();
    expect(lastValue('management.run-job', job_id)).toBe(JSON.stringify({ job_id }));
    const gone = { error: { code: 'NOT_FOUND' } };
    const scope = { workspace_id: site.workspace_id, site_id: site.id };
    expect(await replicas.send.updateSite({ ...scope, name: 'Again' })).toMatchObject(gone);
    expect(await replicas.send.createApiKey(keyBody(site))).toMatchObject(gone);
    expect(await removeSite(site)).toMatchObject(gone);
    const entries = `resource_id = '${site.id}' and action = 'delete' and actor = '${OWNER}'`;
    expect(await replicas.count('audit_log', entries)).toBe(1);
    await runHere();
  });

  it('the deletion of a site is refused for a stale version, and for a site of another workspace', async () => {
    const site = await replicas.makeSite((await replicas.makeWorkspace()).id);
    expect(await removeSite(site, 7)).toMatchObject({ error: { code: 'CONFLICT' } });
    const other = await replicas.makeWorkspace();
    expect(await removeSite({ ...site, workspace_id: other.id })).toMatchObject({
      error: { code: 'NOT_FOUND' },
    });
    expect(await replicas.count('sites', `site_id = '${site.id}' and deleted_at is null`)).toBe(1);
  });

  it('erases its data in every service, with a tombstone for each key, and no other site’s', async () => {
    const workspace = await replicas.makeWorkspace();
    const [site, other] = [await replicas.makeSite(workspace.id), await replicas.makeSite(workspace.id)];
    const [key, kept] = [await replicas.makeKey(site), await replicas.makeKey(other)];
    await replicas.owner.query(
      `insert into api_keys (key_id, site_id, workspace_id, name, prefix, hash, scopes, hourly_limit, limit_id,
         created_at, updated_at)
       select gen_random_uuid(), $1, $2, 'Bulk', lpad(to_hex(n), 8, 'y'), sha256((n || 'y')::bytea), '{events:write}',
         1000, gen_random_uuid(), now(), now() from generate_series(1, 2200) n`,
      [site.id, workspace.id],
    );
    const keyIds = await column('select key_id as value from api_keys where site_id = $1', site.id);
    const { job_id } = deleted(await removeSite(site));
    expect(await runHere()).toEqual(ASKED.map((service) => `${service}.run-job-step ${site.id}`));
    expect(await replicas.count('api_keys', `site_id = '${site.id}'`)).toBe(0);
    expect(keyIds).toContain(key.id);
    for (const keyId of keyIds) expect(lastValue('credentials.v1', String(keyId))).toBeNull();
    expect(await replicas.count('api_keys', `key_id = '${kept.id}'`)).toBe(1);
    expect(replicas.lastKeyFact(kept.id).key_id).toBe(kept.id);
    expect(
      await column('select row_to_json(s) as value from sites s where site_id = $1', site.id),
    ).toMatchObject([{ name: '', domain: '', allowed_origins: [], partner_providers: [] }]);
    expect(
      await column('select row_to_json(j) as value from jobs j where job_id = $1', job_id),
    ).toMatchObject([{ state: 'completed', total: 2_201, done: 2_201 }]);
  });

  it('the deletion of a site and the creation of its resources wait for each other', async () => {
    const site = await replicas.makeSite((await replicas.makeWorkspace(uniqueName('owner'))).id);
    const scope = { workspace_id: site.workspace_id };
    const others = Array.from({ length: 20 }, (_, n) => [
      () => replicas.send.createApiKey(keyBody(site)),
      () => replicas.send.updateSite({ ...scope, site_id: site.id, name: `Name ${n}` }),
      () => replicas.send.administerWorkspace({ ...scope, suspended: n % 2 === 0 }),
    ]).flat();
    await Promise.all([...others.slice(30), () => removeSite(site), ...others].map((begin) => begin()));
    await runHere();
    expect(await replicas.count('api_keys', `site_id = '${site.id}'`)).toBe(0);
  });
});

describe('deleting a workspace', () => {
  it('takes it from everybody at once, and erases all of it but who deleted it', async () => {
    const workspace = await replicas.makeWorkspace();
    const [one, two] = [await replicas.makeSite(workspace.id), await replicas.makeSite(workspace.id)];
    await replicas.makeKey(one);
    await replicas.send.createMember({ workspace_id: workspace.id, sub: 'auth0|analyst', role: 'analyst' });
    const { job_id } = deleted(await removeWorkspace(workspace.id));
    await replicas.allPublished();
    for (const { id } of [one, two]) expect(lastValue('sites.v1', id)).toBeNull();
    for (const sub of [OWNER, 'auth0|analyst']) {
      expect(lastValue('members.v1', `${workspace.id}:${sub}`)).toBeNull();
    }
    const gone = { error: { code: 'NOT_FOUND' } };
    expect(await replicas.send.createSite(siteBody(workspace.id))).toMatchObject(gone);
    expect(await removeSite(one)).toMatchObject(gone);
    expect(await removeWorkspace(workspace.id)).toMatchObject(gone);
    await runHere();
    for (const table of ['api_keys', 'members']) {
      expect(await replicas.count(table, `workspace_id = '${workspace.id}'`)).toBe(0);
    }
    const entries = await column(
      `select action || ' ' || resource || ' ' || actor as value from audit_log where workspace_id = $1`,
      workspace.id,
    );
    expect(entries).toEqual([`delete workspace ${OWNER}`]);
    const jobs = `workspace_id = '${workspace.id}' and job_id = '${job_id}' and state = 'completed'`;
    expect(await replicas.count('jobs', jobs)).toBe(1);
    expect(await replicas.count('workspaces', `workspace_id = '${workspace.id}' and name = ''`)).toBe(1);
  });

  it('erases the facts about it that Kafka refused, and a later one is not even set aside', async () => {
    const workspace = await replicas.makeWorkspace();
    const site = await replicas.makeSite(workspace.id);
    const refuse = () => replicas.pool.query(REFUSED, [workspace.id, site.id]);
    const left = `workspace_id = '${workspace.id}' or site_id = '${site.id}'`;
    await refuse();
    expect(await replicas.count('outbox_set_aside', left)).toBe(3);
    await removeWorkspace(workspace.id);
    await runHere();
    expect(await replicas.count('outbox_set_aside', left)).toBe(0);
    await refuse();
    expect(await replicas.count('outbox_set_aside', left)).toBe(0);
  });

  it('ends when the tombstone of each member is published: its key names the person', async () => {
    const workspace = await replicas.makeWorkspace();
    const refused = `insert into outbox_set_aside (id, topic, key, headers, reason, is_state, workspace_id)
      values (nextval('outbox_id_seq'), 'members.v1', $1::text || '@person@example.com', '{}', 'refused', true, $1::uuid)`;
    await replicas.owner.query(refused, [workspace.id]);
    await removeWorkspace(workspace.id);
    await expect(runHere()).rejects.toThrow('Kafka refuses a tombstone');
    expect(await replicas.count('members', `workspace_id = '${workspace.id}'`)).toBe(0);
    expect(await replicas.count('jobs', `workspace_id = '${workspace.id}' and state = 'completed'`)).toBe(0);
    await replicas.owner.query('delete from outbox_set_aside where workspace_id = $1', [workspace.id]);
    await replicas.owner.query(`update jobs set due_at = now(), lease = null where workspace_id = $1`, [
      workspace.id,
    ]);
    await runHere();
    expect(await replicas.count('jobs', `workspace_id = '${workspace.id}' and state = 'completed'`)).toBe(1);
  });

  it('continues an unfinished deletion of one of its sites', async () => {
    const workspace = await replicas.makeWorkspace();
    const [one, two] = [await replicas.makeSite(workspace.id), await replicas.makeSite(workspace.id)];
    const { job_id } = deleted(await removeSite(one));
    await replicas.owner.query(`update jobs set due_at = now() + interval '1 hour' where job_id = $1`, [
      job_id,
    ]);
    await removeWorkspace(workspace.id);
    const elsewhere = await runHere();
    expect(elsewhere.toSorted()).toEqual(
      [one, two].flatMap(({ id }) => ASKED.map((service) => `${service}.run-job-step ${id}`)).toSorted(),
    );
    expect(await replicas.count('jobs', `workspace_id = '${workspace.id}'`)).toBe(1);
  });

  it('the deletion of a workspace is never undone by republishing', async () => {
    const workspace = await replicas.makeWorkspace();
    const site = await replicas.makeSite(workspace.id);
    await removeWorkspace(workspace.id);
    await republishFacts(replicas.pool, replicas.relays[0], NOTHING_KNOWN, true);
    await replicas.allPublished();
    expect(lastValue('sites.v1', site.id)).toBeNull();
    expect(lastValue('members.v1', `${workspace.id}:${OWNER}`)).toBeNull();
    await runHere();
  });

  it('the deletion of a workspace is published again to a Kafka restored from an older copy', async () => {
    const workspace = await replicas.makeWorkspace();
    const [gone, kept] = [
      await replicas.makeSite(workspace.id),
      await replicas.makeSite((await replicas.makeWorkspace()).id),
    ];
    await removeWorkspace(workspace.id);
    await runHere();
    await replicas.settle();
    const member = `${workspace.id}:${OWNER}`;
    const known = { ...NOTHING_KNOWN, sites: new Set([gone.id, kept.id]), members: new Set([member]) };
    await republishFacts(replicas.pool, replicas.relays[0], known);
    await replicas.allPublished();
    const told = (key: string) => replicas.published.filter((fact) => fact.key === key);
    expect(told(gone.id)).toMatchObject([
      { topic: 'sites.erased.v1', value: JSON.stringify({ site_id: gone.id }) },
      { topic: 'sites.v1', value: null },
    ]);
    expect(told(member)).toMatchObject([{ topic: 'members.v1', value: null }]);
    expect(told(kept.id)).toEqual([]);
  });

  it('the deletion of a workspace is for its owners', async () => {
    const workspace = await replicas.makeWorkspace();
    const deleteAs = (sub: string) => {
      const command = {
        ...commandOf(workspace.id, {}),
        actor: { sub, email: null, key_id: null, key_prefix: null },
      };
      return replicas.next().command(command, randomUUID(), deleteWorkspace);
    };
    await replicas.addMember(workspace.id, 'auth0|admin', 'admin');
    expect(await deleteAs('auth0|admin')).toMatchObject({ error: { code: 'FORBIDDEN' } });
    expect(await deleteAs('auth0|stranger')).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });
});

/** Of a member of the workspace `$1`, of its site `$2`, and of both. */
const REFUSED = `
  insert into outbox_set_aside (id, topic, key, value, headers, reason, is_state, workspace_id, site_id)
  select (random() * 1e15)::bigint, 't', coalesce(workspace_id, site_id) || '@person@example.com', '{}', '{}', 'refused', true,
    workspace_id, site_id
  from (values ($1::uuid, null::uuid), (null, $2::uuid), ($1, $2)) as owners (workspace_id, site_id)`;

describe('every table', () => {
  /** Their rows stay, with only ids, times and a sum of nothing. */
  const EMPTIED = [
    'jobs',
    'erasures',
    'erased_people',
    'sites',
    'workspaces',
    'held_campaigns',
    'held_records',
  ];

  it.each([
    ['a site', 'site_id', SITE_ERASURES, ''],
    [
      'a workspace',
      'workspace_id',
      WORKSPACE_ERASURES,
      `and table_name not in (
       select table_name from information_schema.columns where column_name = 'site_id' and table_schema = $1)`,
    ],
  ] as const)('every table that belongs to %s is erased with it', async (_, name, erasures, unless) => {
    const tables = await column(
      `select table_name as value from information_schema.columns join information_schema.tables
         using (table_schema, table_name)
       where table_schema = $1 and table_type = 'BASE TABLE' and column_name = '${name}' ${unless}`,
      replicas.schema.schema,
    );
    const known = [...EMPTIED, ...erasures.map(({ table }) => table)];
    expect(tables.filter((table) => !known.includes(String(table)))).toEqual([]);
  });
});
