import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { INGESTION } from '@truetally/contracts/events';
import type { JobStepReport } from '@truetally/contracts/jobs';
import { jobStepOf } from '@truetally/contracts/services';
import { failure, type Reply } from '@truetally/kernel';
import { OperationAsker } from '@truetally/messaging';
import { eventually } from '@truetally/testing';
import type { Advanced, LeasedJob } from '../storage/job-leases.js';
import { JobRunner, type JobRunnerOptions } from './job-runner.js';

const MINUTE_MS = 60_000;
const REPORT: JobStepReport = { cursor: null, found: 0, done: 1, stored: 0, failed: 0, errors: [] };
const PROGRESS: JobStepReport = { ...REPORT, cursor: 'next' };

const ONE: LeasedJob = {
  jobId: 'job',
  workspaceId: 'workspace',
  holder: 'person',
  type: 'asking',
  params: {},
  step: null,
  doneSteps: [],
  plannedSteps: [],
  cursor: null,
  attempts: 0,
  lease: 'lease',
};

/** One job with one step, which is due again at once, whatever its delay. */
class OneJob {
  readonly waits: number[] = [];
  readonly late: JobStepReport[] = [];
  isCancelled = false;
  readonly ended: Promise<void>;
  private end = (): void => undefined;
  private waiting: LeasedJob | undefined = ONE;

  constructor() {
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  readonly leases: JobRunnerOptions['leases'] = {
    take: () => {
      const taken = this.waiting;
      this.waiting = undefined;
      return Promise.resolve(taken);
    },
    renew: () => Promise.resolve(true),
    look: (read) => read(undefined as never),
    advance: async (job, _piece, work): Promise<Advanced> => {
      const piece = await work(undefined as never);
      if ('againInMs' in piece) return piece;
      if (this.isCancelled) return 'lost';
      const { cursor } = piece.report;
      if (cursor !== null) return { ...job, cursor, attempts: 0 };
      this.end();
      return 'finished';
    },
    countLate: (_job, _piece, report) => {
      this.late.push(report);
      this.end();
      return Promise.resolve();
    },
    giveBack: (job, delayMs, cameToNothing) => {
      this.waits.push(delayMs);
      this.waiting = { ...job, attempts: job.attempts + (cameToNothing ? 1 : 0) };
      return Promise.resolve();
    },
    refuse: () => {
      this.end();
      return Promise.resolve('failed');
    },
  };
}

/** The delays after each failed attempt, when the service replies like this. */
async function waitsFor(
  answers: readonly Reply<unknown>[],
  turn: Pick<JobRunnerOptions, 'turnMs'> = {},
  isCancellable = true,
  job = new OneJob(),
): Promise<readonly number[]> {
  const left = [...answers];
  const postponed: string[] = [];
  const runner = new JobRunner({
    leases: job.leases,
    kinds: {
      asking: {
        isCancellable,
        plan: () => [
          {
            place: 'elsewhere',
            name: 'asked',
            operation: jobStepOf(INGESTION),
            step: 'test',
            params: {},
          },
        ],
      },
    },
    asker: new OperationAsker(
      {
        ask: () => Promise.resolve(left.shift() ?? { ok: REPORT }),
        tell: () => Promise.reject(new Error('A step has an answer.')),
      },
      'management',
    ),
    relay: { wake: () => undefined },
    log: { info: () => undefined, warn: () => undefined },
    observer: { finished: () => undefined, postponed: (type) => void postponed.push(type) },
    renewMs: MINUTE_MS,
    lookMs: MINUTE_MS,
    ...turn,
  });
  runner.start();
  await job.ended;
  await runner.stop();
  // The last attempt of a job that fails is one, too.
  expect(postponed.length - job.waits.filter((ms) => ms > 0).length).toBeLessThan(2);
  return job.waits;
}

describe('a job that cannot go on', () => {
  it('waits longer after each attempt in a row that came to nothing, up to a minute', async () => {
    const away = Array.from({ length: 8 }, () => failure('UNAVAILABLE', 'No reply came in time'));
    expect(await waitsFor(away)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('waits as at first when it got on in between', async () => {
    const bug = failure('INTERNAL_ERROR', 'a bug');
    expect(await waitsFor([bug, bug, { ok: PROGRESS }, bug])).toEqual([1_000, 2_000, 1_000]);
  });

  it('a job that comes to nothing thirty times in a row fails, and one whose service is away waits for it', async () => {
    const bugs = Array.from({ length: 40 }, () => failure('INTERNAL_ERROR', 'a bug'));
    expect(await waitsFor(bugs)).toHaveLength(29);
    const away = Array.from({ length: 40 }, () => failure('UNAVAILABLE', 'No reply came in time'));
    expect(await waitsFor(away)).toHaveLength(40);
  });

  it('a job that waits for its turn uses up no attempt, and waits as long as it is told', async () => {
    const bugs = Array.from({ length: 29 }, () => failure('INTERNAL_ERROR', 'a bug'));
    const waiting = Array.from({ length: 40 }, () => ({ ok: { ...PROGRESS, done: 0, again_in_ms: 5_000 } }));
    const waits = await waitsFor([...bugs.slice(1), ...waiting, ...bugs.slice(28), { ok: PROGRESS }]);
    expect(waits.slice(28)).toEqual([...Array.from({ length: 40 }, () => 5_000), 60_000]);
  });

  it('a deletion is tried for as long as it takes', async () => {
    const bugs = Array.from({ length: 40 }, () => failure('INTERNAL_ERROR', 'a bug'));
    expect(await waitsFor(bugs, {}, false)).toHaveLength(40);
  });

  it('waits after an invalid report', async () => {
    expect(await waitsFor([{ ok: { cursor: 7 } }])).toEqual([1_000]);
  });

  it('a job whose turn is over goes behind the others, and has lost nothing', async () => {
    expect(await waitsFor([{ ok: PROGRESS }, { ok: PROGRESS }], { turnMs: -1 })).toEqual([0, 0]);
  });

  it('the report of a piece whose job was cancelled meanwhile is counted, and the job left', async () => {
    const job = new OneJob();
    job.isCancelled = true;
    expect(await waitsFor([{ ok: PROGRESS }], {}, true, job)).toEqual([]);
    expect(job.late).toEqual([PROGRESS]);
  });

  it('a step that the service refuses is not tried again', async () => {
    expect(await waitsFor([failure('VALIDATION_ERROR', 'The step breaks a rule.')])).toEqual([]);
  });
});

describe('jobs that wait for strangers', () => {
  it('jobs of a kind with places of its own take no more of them, and others go on', async () => {
    const job = new OneJob();
    const taken: (readonly string[])[] = [];
    let end = (): void => undefined;
    const stranger = new Promise<Reply<unknown>>((resolve) => {
      end = () => resolve({ ok: REPORT });
    });
    const kind = (atOnce?: number) => ({
      isCancellable: true,
      ...(atOnce === undefined ? {} : { atOnce }),
      plan: () => [
        {
          place: 'elsewhere' as const,
          name: 'asked',
          operation: jobStepOf(INGESTION),
          step: 'test',
          params: {},
        },
      ],
    });
    const runner = new JobRunner({
      leases: {
        ...job.leases,
        take: (types) => {
          taken.push(types);
          return job.leases.take(types);
        },
      },
      kinds: { asking: kind(1), other: kind() },
      asker: new OperationAsker(
        { ask: () => stranger, tell: () => Promise.reject(new Error('A step has an answer.')) },
        'management',
      ),
      relay: { wake: () => undefined },
      log: { info: () => undefined, warn: () => undefined },
      observer: { finished: () => undefined, postponed: () => undefined },
      renewMs: MINUTE_MS,
      lookMs: MINUTE_MS,
    });
    runner.start();
    await eventually(() => taken.length === 2);
    expect(taken).toEqual([['asking', 'other'], ['other']]);
    end();
    await job.ended;
    await runner.stop();
  });
});

describe('jobs of one holder', () => {
  const PIECE_MS = 100;
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** How many pieces each holder's jobs have done in ten seconds: each job has more of them than that. */
  async function piecesOf(holders: readonly string[]): Promise<Readonly<Record<string, number>>> {
    const done: Record<string, number> = {};
    const waiting = holders.map((holder, n): LeasedJob => ({ ...ONE, jobId: String(n), holder }));
    const runner = new JobRunner({
      leases: {
        take: () => Promise.resolve(waiting.shift()),
        renew: () => Promise.resolve(true),
        look: (read) => read(undefined as never),
        advance: async (job, _piece, work): Promise<Advanced> => {
          await work(undefined as never);
          done[job.holder] = (done[job.holder] ?? 0) + 1;
          return job;
        },
        countLate: () => Promise.resolve(),
        giveBack: (job) => Promise.resolve(void waiting.push(job)),
        refuse: () => Promise.resolve('failed'),
      },
      kinds: {
        asking: {
          isCancellable: true,
          plan: () => [
            {
              place: 'here',
              name: 'worked',
              run: () => new Promise((resolve) => setTimeout(() => resolve({ report: PROGRESS }), PIECE_MS)),
            },
          ],
        },
      },
      asker: new OperationAsker(
        {
          ask: () => Promise.resolve({ ok: REPORT }),
          tell: () => Promise.reject(new Error('A step has an answer.')),
        },
        'test',
      ),
      relay: { wake: () => undefined },
      log: { info: () => undefined, warn: () => undefined },
      observer: { finished: () => undefined, postponed: () => undefined },
      renewMs: MINUTE_MS,
      lookMs: MINUTE_MS,
    });
    runner.start();
    await jest.advanceTimersByTimeAsync(10_000);
    const stopped = runner.stop();
    const counted = { ...done };
    await jest.advanceTimersByTimeAsync(10_000);
    await stopped;
    return counted;
  }

  it('four jobs of one holder together do as much as one job of another', async () => {
    const { heavy = 0, other = 0 } = await piecesOf(['heavy', 'heavy', 'heavy', 'heavy', 'other']);
    expect(other).toBeGreaterThanOrEqual(98);
    expect(heavy).toBeGreaterThanOrEqual(90);
    expect(heavy).toBeLessThanOrEqual(110);
  });
});
