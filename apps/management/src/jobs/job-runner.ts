import type { OperationAsker } from '@truetally/messaging';
import { isTransient, type OutboxRelay } from '@truetally/persistence';
import { type Logger, lookOut, type LookOut } from '@truetally/platform';
import { retryDelayMs } from '../domain/job.js';
import { nextStep } from '../domain/job-steps.js';
import type { Advanced, JobLeases, LeasedJob, Saved } from '../storage/job-leases.js';
import type { JobKinds, JobStepPlan } from './job-kinds.js';

export interface JobRunnerOptions {
  readonly leases: Pick<
    JobLeases,
    'advance' | 'countLate' | 'giveBack' | 'look' | 'refuse' | 'renew' | 'take'
  >;
  readonly kinds: JobKinds;
  readonly asker: Pick<OperationAsker, 'ask'>;
  readonly relay: Pick<OutboxRelay, 'wake'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly observer: JobObserver;
  /** Renewal interval of a lease: several times per lease. */
  readonly renewMs: number;
  /** A job leaves its worker after this time, between two pieces, and waits for its turn among the others. Default: 1 s. */
  readonly turnMs?: number;
  /** Polling interval for jobs without a wake-up: those of dead workers, and delayed ones. Longer where there was none for a while. */
  readonly lookMs: number;
}

/** Receives the runner's measurements. */
export interface JobObserver {
  finished(type: string, state: 'completed' | 'failed'): void;
  /** An attempt failed. */
  postponed(type: string): void;
}

/** Concurrent jobs per replica: each is a chain of small pieces, most of which wait for another service. */
const JOBS_AT_ONCE = 12;
const TURN_MS = 1_000;
/** A piece that waits for a stranger's server is long, and works little. */
const MOST_REST_MS = 1_000;
/** Timeout of one piece; a slower service counts as unavailable and is asked again later. */
const STEP_DEADLINE_MS = 15_000;

/**
 * Takes jobs and runs them in pieces. If this process dies, its jobs continue after their last saved piece,
 * on any replica.
 */
export class JobRunner {
  private readonly running = new Map<Promise<void>, LeasedJob>();
  private looking: Promise<void> | undefined;
  private isWanted = false;
  private isStopping = false;
  private looks: LookOut | undefined;

  constructor(private readonly options: JobRunnerOptions) {}

  start(): void {
    this.looks = lookOut(this.options.lookMs, () => this.wake());
    this.wake();
  }

  /** Call it when there is a new job. */
  wake(): void {
    this.isWanted = true;
    this.looking ??= this.look().finally(() => {
      this.looking = undefined;
    });
  }

  /** Takes no more jobs, and returns the current ones as soon as their piece is done. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.looks?.end();
    await this.looking;
    await Promise.all(this.running.keys());
  }

  private async look(): Promise<void> {
    const { leases, kinds, log } = this.options;
    try {
      while (this.isWanted && !this.isStopping) {
        this.isWanted = false;
        while (this.running.size < JOBS_AT_ONCE && !this.isStopping) {
          const job = await leases.take(this.typesWithRoom(kinds));
          if (job === undefined) break;
          this.begin(job);
        }
      }
    } catch (error) {
      log.warn({ err: error }, 'It could not be looked for jobs; it is looked again.');
    }
  }

  private typesWithRoom(kinds: JobKinds): readonly string[] {
    const jobs = [...this.running.values()];
    const countOf = (type: string): number => jobs.filter((one) => one.type === type).length;
    return Object.entries(kinds).flatMap(([type, { atOnce = JOBS_AT_ONCE }]) =>
      countOf(type) < atOnce ? [type] : [],
    );
  }

  private begin(job: LeasedJob): void {
    this.looks?.found();
    const run: Promise<void> = this.run(job).finally(() => {
      this.running.delete(run);
      this.looks?.found();
      this.wake();
    });
    this.running.set(run, job);
  }

  /** Never rejects: what cannot be saved is left until the lease expires. */
  private async run(taken: LeasedJob): Promise<void> {
    const { leases, log, renewMs, turnMs = TURN_MS } = this.options;
    const turnEndsAt = performance.now() + turnMs;
    let job = taken;
    let isLost = false;
    let isRenewing = false;
    let isOver = false;
    const renewing = setInterval(() => {
      // A renewal waits for the current piece, which locks the job's row: a second renewal would only wait
      // with it.
      if (isRenewing) return;
      isRenewing = true;
      leases
        .renew(job)
        .then(
          (isHeld) => {
            isLost = !isHeld;
          },
          () => undefined,
        )
        .finally(() => {
          isRenewing = false;
        });
    }, renewMs);
    try {
      // Terminates: each piece advances the job, or returns it.
      while (!isLost) {
        if (this.isStopping || isOver) return await leases.giveBack(job, 0, false);
        const begunAt = performance.now();
        const advanced = await this.advance(job);
        if (typeof advanced === 'object' && 'againInMs' in advanced)
          return await leases.giveBack(job, advanced.againInMs, false);
        await this.rest(job, performance.now() - begunAt);
        if (typeof advanced === 'string') return;
        job = advanced;
        isOver = performance.now() > turnEndsAt;
      }
    } catch (error) {
      await this.postpone(job, error);
    } finally {
      clearInterval(renewing);
      log.info({ job: job.jobId, type: job.type }, 'A job left this worker.');
    }
  }

  /**
   * Jobs of one holder together go as fast as one: however many it has, they leave most of the processors, and of Postgres, to
   * requests. A job that is its holder's only one does not rest.
   */
  private async rest({ holder }: LeasedJob, workedMs: number): Promise<void> {
    const others = [...this.running.values()].filter((one) => one.holder === holder).length - 1;
    if (others === 0 || this.isStopping) return;
    await new Promise((resolve) => setTimeout(resolve, Math.min(others * workedMs, MOST_REST_MS)));
  }

  /** One piece. */
  private async advance(job: LeasedJob): Promise<Advanced> {
    const { kinds, leases, relay } = this.options;
    const plan = kinds[job.type]?.plan(job) ?? [];
    const step = nextStep(plan, job);
    if (step.place === 'elsewhere') return this.advanceElsewhere(job, step, plan);
    const advanced = await leases.advance(job, { name: step.name, plan }, (client) =>
      step.run(client, job.cursor),
    );
    relay.wake();
    return this.observed(job, advanced);
  }

  private async advanceElsewhere(
    job: LeasedJob,
    asking: Extract<JobStepPlan, { place: 'elsewhere' }>,
    plan: readonly JobStepPlan[],
  ): Promise<Advanced> {
    const { asker, leases } = this.options;
    const { name, operation, step, params: given, settle } = asking;
    const params = typeof given === 'function' ? await leases.look((pool) => given(pool, job.cursor)) : given;
    const asked = { job_id: job.jobId, step, params, cursor: job.cursor };
    // After its deadline the report is ignored, and the piece is requested again: a query, so that late copies
    // are skipped.
    const reply = await asker.ask(operation, asked, { deadlineMs: STEP_DEADLINE_MS });
    if ('error' in reply) {
      const { code, message } = reply.error;
      if (code === 'UNAVAILABLE') throw new Error(`${operation.address}: ${message}`);
      if (code === 'INTERNAL_ERROR') throw new BrokenStepError(`${operation.address}: ${message}`);
      return this.refuse(job, asking, plan, message);
    }
    const { again_in_ms: waitMs } = reply.ok;
    if (waitMs !== undefined) return { againInMs: waitMs };
    const advanced = await leases.advance(job, { name, plan }, async (client) => ({
      report: settle === undefined ? reply.ok : await settle(client, reply.ok, params),
    }));
    if (advanced === 'lost') await leases.countLate(job, { name, plan }, reply.ok);
    return this.observed(job, advanced);
  }

  private async refuse(
    job: LeasedJob,
    step: JobStepPlan,
    plan: readonly JobStepPlan[],
    reason: string,
  ): Promise<Saved> {
    const { refused: also, without } = step.place === 'elsewhere' ? step : {};
    const refusal = { name: step.name, plan, without, also };
    return this.observed(job, await this.options.leases.refuse(job, refusal, reason));
  }

  private observed<Outcome extends Advanced>({ type }: LeasedJob, advanced: Outcome): Outcome {
    const { observer } = this.options;
    if (advanced === 'finished' || advanced === 'failed')
      observer.finished(type, advanced === 'failed' ? advanced : 'completed');
    return advanced;
  }

  /**
   * It may succeed later: a service is back, a bug is fixed. What comes to nothing again and again although all services are there
   * fails, unless it is a deletion, which is owed.
   */
  private async postpone(job: LeasedJob, reason: unknown): Promise<void> {
    const { leases, log, observer } = this.options;
    const isOurs = this.isStopping;
    const delayMs = isOurs ? 0 : retryDelayMs(job.attempts);
    if (!isOurs) {
      log.warn({ err: reason, job: job.jobId, delayMs }, 'A job could not go on; it is tried again.');
      observer.postponed(job.type);
    }
    try {
      if (!isOurs && this.isStuck(job, reason)) return await this.giveUp(job);
      await leases.giveBack(job, delayMs, !isOurs);
    } catch (error) {
      log.warn({ err: error, job: job.jobId }, 'A job could not be given back; its lease will run out.');
    }
  }

  private isStuck({ type, attempts }: LeasedJob, reason: unknown): boolean {
    const isBroken = reason instanceof BrokenStepError || !isTransient(reason);
    return isBroken && attempts + 1 >= MOST_ATTEMPTS && this.options.kinds[type]?.isCancellable === true;
  }

  private async giveUp(job: LeasedJob): Promise<void> {
    const { kinds, leases } = this.options;
    const plan = kinds[job.type]?.plan(job) ?? [];
    const advanced = await this.refuse(job, nextStep(plan, job), plan, STUCK);
    if (typeof advanced !== 'string') await leases.giveBack(advanced, 0, false);
  }
}

/** A service is there, and cannot carry out the step. One that does not answer is asked for as long as it takes. */
class BrokenStepError extends Error {
  override readonly name = 'BrokenStepError';
}

/** In a row, with the delays between them some 25 minutes. */
const MOST_ATTEMPTS = 30;
const STUCK = 'The job did not advance in 30 attempts, and was ended; what was stored before stays.';
