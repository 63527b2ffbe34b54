import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { INGESTION } from '@truetally/contracts/events';
import { type JobStepReport } from '@truetally/contracts/jobs';
import type { ResourceCommand } from '@truetally/contracts/resource';
import { jobStepOf } from '@truetally/contracts/services';
import { failure, type Reply } from '@truetally/kernel';
import { type AskRequest, OperationAsker } from '@truetally/messaging';
import { appendToOutbox, inTransaction } from '@truetally/persistence';
import { eventually } from '@truetally/testing';
import type { Job } from '../domain/job.js';
import { accepted, ManagementReplicas, OWNER } from '../testing/management-replicas.js';
import { JobLeases } from '../storage/job-leases.js';
import { findJob } from '../storage/job.store.js';
import { beginJob } from './begin-job.js';
import { cancelJob } from './cancel-job.js';
import type { JobKinds } from './job-kinds.js';
import { JobRunner } from './job-runner.js';
import { readJob } from './read-job.js';

const PIECES = 20;
const QUICK = { leaseMs: 1_000, renewMs: 200, lookMs: 50 };

let replicas: ManagementReplicas;
const runners: JobRunner[] = [];
/** Called before each piece of a `counting` job. */
let beforePiece: (piece: number) => Promise<void> = () => Promise.resolve();
/** The replies of another service, one for each ask. */
let answer: (asked: AskRequest) => Reply<unknown> = () => failure('UNAVAILABLE', 'away');
const asked: AskRequest[] = [];
const finished: string[] = [];

/** A job that writes rows here, piece by piece, then asks another service. */
const KINDS: JobKinds = {
  counting: {
    isCancellable: true,
    plan: ({ workspaceId }) => [
      {
        place: 'here',
        name: 'counting',
        run: async (client, cursor) => {
          const piece = Number(cursor ?? 0);
          await client.query('insert into pieces (workspace_id, piece) values ($1, $2)', [
            workspaceId,
            piece,
          ]);
          await beforePiece(piece);
          return { report: reportOf({ cursor: piece + 1 < PIECES ? String(piece + 1) : null }) };
        },
      },
    ],
  },
  asking: {
    isCancellable: true,
    plan: ({ workspaceId }) => [
      {
        place: 'elsewhere',
        name: 'asking',
        operation: jobStepOf(INGESTION),
        step: 'test',
        params: { workspace_id: workspaceId },
      },
    ],
  },
};

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
  await replicas.owner.query('create table pieces (workspace_id uuid not null, piece integer not null)');
  await replicas.owner.query(`grant select, insert on pieces to ${replicas.schema.role}`);
});

afterEach(async () => {
  beforePiece = () => Promise.resolve();
  await Promise.all(runners.splice(0).map((runner) => runner.stop()));
});

afterAll(() => replicas.stop());

/** The first execution of this piece waits in its transaction until the test releases it. */
function holdAt(held: number): { isReached(): boolean; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let isReached = false;
  beforePiece = async (piece) => {
    if (piece !== held || isReached) return;
    isReached = true;
    await opened;
  };
  return { isReached: () => isReached, open: () => open() };
}

function reportOf(given: Partial<JobStepReport> = {}): JobStepReport {
  return { cursor: null, found: 1, done: 1, stored: 1, failed: 0, errors: [], ...given };
}

function startRunner(given: Partial<typeof QUICK> = {}): JobRunner {
  const { leaseMs, ...times } = { ...QUICK, ...given };
  const runner = new JobRunner({
    leases: new JobLeases({ pool: replicas.pool, owner: randomUUID(), leaseMs }),
    kinds: KINDS,
    asker: new OperationAsker(
      {
        ask: (request) => Promise.resolve(answer(asked[asked.push(request) - 1] ?? request)),
        tell: () => Promise.reject(new Error('A step has an answer.')),
      },
      'management',
    ),
    relay: replicas.relays[0],
    log: { info: () => undefined, warn: () => undefined },
    observer: {
      finished: (type, state) => void finished.push(`${type} ${state}`),
      postponed: () => undefined,
    },
    ...times,
  });
  runners.push(runner);
  runner.start();
  return runner;
}

function commandOf(params: Record<string, string>, sub: string | null = OWNER): ResourceCommand {
  const actor = { sub, email: null, key_id: null, key_prefix: null };
  return { workspace_id: randomUUID(), actor, params, version: null, idempotency: null, body: null };
}

async function begin(type: string, command = commandOf({})): Promise<string> {
  return inTransaction(replicas.pool, async (client) => {
    const { jobId, fact } = await beginJob(
      client,
      command,
      { nowMs: Date.now(), newId: randomUUID },
      { type, params: {} },
    );
    await appendToOutbox(client, [fact]);
    return jobId;
  });
}

async function job(jobId: string): Promise<Job> {
  const found = await findJob(replicas.pool, jobId);
  if (found === undefined) throw new Error('There is no such job.');
  return found;
}

async function ended(jobId: string): Promise<Job> {
  await eventually(async () => (await job(jobId)).finishedAtMs !== null);
  return job(jobId);
}

async function pieces(workspaceId: string): Promise<readonly number[]> {
  const { rows } = await replicas.owner.query<{ piece: number }>(
    'select piece from pieces where workspace_id = $1 order by piece',
    [workspaceId],
  );
  return rows.map((row) => row.piece);
}

const ALL = Array.from({ length: PIECES }, (_, piece) => piece);

describe('a job', () => {
  it('a job is sent to a worker in the transaction that begins it', async () => {
    const jobId = await begin('counting');
    await replicas.allPublished();
    const told = replicas.published.find(({ key }) => key === jobId);
    expect(told).toMatchObject({
      topic: 'management.run-job',
      value: JSON.stringify({ job_id: jobId }),
      headers: { 'contract-version': '1', 'correlation-id': jobId },
    });
    startRunner();
    await ended(jobId);
  });

  it('a job is done piece by piece, each once, with several workers at it', async () => {
    const commands = Array.from({ length: 12 }, () => commandOf({}));
    const jobIds = await Promise.all(commands.map((command) => begin('counting', command)));
    startRunner();
    startRunner();
    for (const jobId of jobIds) {
      expect(await ended(jobId)).toMatchObject({ state: 'completed', total: PIECES, done: PIECES });
    }
    for (const { workspace_id } of commands) expect(await pieces(workspace_id)).toEqual(ALL);
    expect(finished.filter((one) => one === 'counting completed').length).toBeGreaterThanOrEqual(12);
  });

  it('goes on with another worker where it was, when its own falls silent in the middle of a piece', async () => {
    const command = commandOf({});
    const gate = holdAt(7);
    const jobId = await begin('counting', command);
    // Like a stopped process: it renews nothing, and continues when another one has the job.
    startRunner({ leaseMs: 300, renewMs: 60_000 });
    await eventually(() => gate.isReached());
    const { rows } = await replicas.owner.query<{ lease: string }>(
      'select lease from jobs where job_id = $1',
      [jobId],
    );
    startRunner();
    // The piece locks its row until its connection ends, as when its process dies.
    await replicas.owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where usename = $1 and state = 'idle in transaction' and query like 'insert into pieces%'`,
      [replicas.schema.role],
    );
    expect(await ended(jobId)).toMatchObject({ state: 'completed', done: PIECES });
    gate.open();
    expect(rows[0]?.lease).toEqual(expect.any(String));
    expect(await pieces(command.workspace_id)).toEqual(ALL);
  });

  it('a job is given back at once by a worker that stops', async () => {
    const command = commandOf({});
    const gate = holdAt(2);
    const jobId = await begin('counting', command);
    const first = startRunner({ leaseMs: 600_000 });
    await eventually(() => gate.isReached());
    const stopped = first.stop();
    gate.open();
    await stopped;
    expect(await job(jobId)).toMatchObject({ state: 'running', done: 3 });
    startRunner();
    expect(await ended(jobId)).toMatchObject({ state: 'completed', done: PIECES });
    expect(await pieces(command.workspace_id)).toEqual(ALL);
  });
});

describe('cancelling (interface page, section 9)', () => {
  const cancel = (jobId: string, sub: string | null) =>
    replicas
      .next()
      .command(commandOf({ job_id: jobId }, sub), randomUUID(), (client, command, context) =>
        cancelJob(client, command, context, KINDS),
      );

  it('ends a job where it is, and no further piece is done', async () => {
    const workspace_id = (await replicas.makeWorkspace()).id;
    const command = { ...commandOf({}), workspace_id };
    const gate = holdAt(3);
    const jobId = await begin('counting', command);
    startRunner();
    await eventually(() => gate.isReached());
    const cancelling = cancel(jobId, OWNER);
    await eventually(async () => {
      const waiting = `wait_event_type = 'Lock' and usename = '${replicas.schema.role}'`;
      return (await replicas.count('pg_stat_activity', waiting)) > 0;
    });
    gate.open();
    expect(accepted(await cancelling)).toMatchObject({
      data: { job_id: jobId, state: 'cancelled' },
    });
    const { done, state } = await ended(jobId);
    expect(state).toBe('cancelled');
    await Promise.all(runners.map((runner) => runner.stop()));
    expect(done).toBeLessThan(PIECES);
    expect(await pieces(command.workspace_id)).toEqual(ALL.slice(0, done));
    const entry = `workspace_id = '${workspace_id}' and action = 'cancel' and resource_id = '${jobId}'`;
    expect(await replicas.count('audit_log', entry)).toBe(1);
  });

  it('the cancellation of a job is refused when it is finished, and for jobs of others', async () => {
    const jobId = await begin('counting');
    expect(await cancel(jobId, 'auth0|stranger')).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect(await cancel(randomUUID(), OWNER)).toMatchObject({ error: { code: 'NOT_FOUND' } });
    startRunner();
    await ended(jobId);
    expect(await cancel(jobId, OWNER)).toMatchObject({
      error: { code: 'CONFLICT', details: { state: ['is completed already'] } },
    });
  });
});

describe('who sees a job (interface page, section 9)', () => {
  const seenBy = async (jobId: string, actor: ResourceCommand['actor']) => {
    const query = { ...commandOf({ job_id: jobId }), actor, filters: {}, limit: 1, cursor: null };
    const reply = await replicas.next().query(query, readJob);
    return 'ok' in reply ? reply.ok.state : reply.error.code;
  };
  const user = (sub: string) => ({ sub, email: null, key_id: null, key_prefix: null });
  const key = (key_id: string) => ({ sub: null, email: null, key_id, key_prefix: null });

  it('the key that started a job sees it, and no other key', async () => {
    const keyId = randomUUID();
    const { id } = await replicas.makeWorkspace();
    const jobId = await begin('later', { ...commandOf({}), workspace_id: id, actor: key(keyId) });
    expect(await seenBy(jobId, key(keyId))).toBe('queued');
    expect(await seenBy(jobId, key(randomUUID()))).toBe('NOT_FOUND');
  });

  it('a job is seen by members while their workspace exists, and afterwards by the user who started it', async () => {
    const { id } = await replicas.makeWorkspace();
    await replicas.addMember(id, 'auth0|analyst', 'analyst');
    const jobId = await begin('later', { ...commandOf({}), workspace_id: id, actor: user('auth0|starter') });
    const seen = () =>
      Promise.all([OWNER, 'auth0|analyst', 'auth0|starter', 'x'].map((sub) => seenBy(jobId, user(sub))));
    expect(await seen()).toEqual(['queued', 'queued', 'NOT_FOUND', 'NOT_FOUND']);
    await replicas.owner.query('update workspaces set deleted_at = now() where workspace_id = $1', [id]);
    expect(await seen()).toEqual(['NOT_FOUND', 'NOT_FOUND', 'queued', 'NOT_FOUND']);
    expect(await seenBy(jobId, null)).toBe('NOT_FOUND');
  });
});

describe('a step of another service', () => {
  it('a step of another service is asked for again while it is away, and goes on when it answers', async () => {
    let answers = 0;
    answer = () => {
      answers += 1;
      if (answers === 1) return failure('UNAVAILABLE', 'No reply came in time');
      if (answers === 2) return failure('INTERNAL_ERROR', 'a bug');
      return { ok: answers === 3 ? reportOf({ cursor: 'next' }) : reportOf() };
    };
    asked.length = 0;
    const jobId = await begin('asking');
    startRunner();
    expect(await ended(jobId)).toMatchObject({ state: 'completed', done: 2, stored: 2, errors: [] });
    const cursors = asked.map(({ value }) => (JSON.parse(value) as { cursor: string | null }).cursor);
    expect(cursors).toEqual([null, null, null, 'next']);
    expect(asked[0]).toMatchObject({ to: 'ingestion.run-job-step', key: jobId, kind: 'query' });
  });

  it('fails the job when the service refuses it: no further attempt could help', async () => {
    answer = () => failure('VALIDATION_ERROR', 'The step breaks a rule.');
    const jobId = await begin('asking');
    startRunner();
    expect(await ended(jobId)).toMatchObject({
      state: 'failed',
      errors: [{ row: null, field: null, message: 'The step breaks a rule.' }],
    });
  });
});
