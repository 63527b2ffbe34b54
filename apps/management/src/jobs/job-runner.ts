import { parseJobStepReport } from '@truetally/contracts/jobs';
import type { KafkaAskClient } from '@truetally/messaging';
import type { OutboxRelay } from '@truetally/persistence';
import type { Logger } from '@truetally/platform';
import { retryDelayMs } from '../domain/job.js';
import type { Advanced, JobLeases, LeasedJob } from '../storage/job.leases.js';
import type { JobKinds, JobStepPlan } from './job-kinds.js';

export interface JobRunnerOptions {
  readonly leases: Pick<JobLeases, 'advance' | 'fail' | 'giveBack' | 'renew' | 'take'>;
  readonly kinds: JobKinds;
  readonly asker: Pick<KafkaAskClient, 'ask'>;
  readonly relay: Pick<OutboxRelay, 'wake'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly observer: JobObserver;
  /** How often a lease is renewed: several times before it runs out. */
  readonly renewMs: number;
  /** How often it is looked for jobs that nobody told of: those of workers that died, and those that wait. */
  readonly lookMs: number;
}

/** What the runner tells about its work. */
export interface JobObserver {
  finished(type: string, state: 'completed' | 'failed'): void;
  /** An attempt came to nothing. */
  postponed(type: string): void;
}

/** Jobs of one replica at a time: each is a chain of small pieces, most of which wait for another service. */
const JOBS_AT_ONCE = 12;
/** For one piece; a service that is slower is away, and asked again later. */
const STEP_DEADLINE_MS = 15_000;

/**
 * Takes jobs and does them, piece by piece. Whatever happens to this process, its jobs go on where their last saved
 * piece ended, on whichever replica takes them next.
 */
export class JobRunner {
  private readonly running = new Set<Promise<void>>();
  private looking: Promise<void> | undefined;
  private isWanted = false;
  private isStopping = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: JobRunnerOptions) {}

  start(): void {
    this.timer = setInterval(() => this.wake(), this.options.lookMs);
    this.wake();
  }

  /** To be called when there is a new job. */
  wake(): void {
    this.isWanted = true;
    this.looking ??= this.look().finally(() => {
      this.looking = undefined;
    });
  }

  /** Takes no more jobs, and gives those in hand back as soon as their piece under way is done. */
  async stop(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.timer);
    await this.looking;
    await Promise.all(this.running);
  }

  private async look(): Promise<void> {
    const { leases, kinds, log } = this.options;
    try {
      while (this.isWanted && !this.isStopping) {
        this.isWanted = false;
        while (this.running.size < JOBS_AT_ONCE && !this.isStopping) {
          const job = await leases.take(Object.keys(kinds));
          if (job === undefined) break;
          this.begin(job);
        }
      }
    } catch (error) {
      log.warn({ err: error }, 'It could not be looked for jobs; it is looked again.');
    }
  }

  private begin(job: LeasedJob): void {
    const run: Promise<void> = this.run(job).finally(() => {
      this.running.delete(run);
      this.wake();
    });
    this.running.add(run);
  }

  /** Never rejects: whatever cannot be saved is left to the end of the lease. */
  private async run(taken: LeasedJob): Promise<void> {
    const { leases, log, renewMs } = this.options;
    let job = taken;
    let isLost = false;
    let isRenewing = false;
    const renewing = setInterval(() => {
      // A renewal waits for the piece under way, which holds the job's row: a second one would only wait with it.
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
      // Ends: each piece brings the job nearer to its end, or gives it away.
      while (!isLost) {
        if (this.isStopping) return await leases.giveBack(job, 0, false);
        const advanced = await this.advance(job);
        if (advanced === undefined || advanced === 'lost' || advanced === 'finished') return;
        job = advanced;
      }
    } catch (error) {
      await this.postpone(job, error);
    } finally {
      clearInterval(renewing);
      log.info({ job: job.jobId, type: job.type }, 'A job left this worker.');
    }
  }

  /** One piece; undefined when the job was given back or ended in failure. */
  private async advance(job: LeasedJob): Promise<Advanced | undefined> {
    const { kinds, leases, relay, observer } = this.options;
    const steps = kinds[job.type]?.plan(job) ?? [];
    const step = steps[job.step];
    if (step === undefined) throw new Error(`A job of type ${job.type} has no step ${job.step}.`);
    if (step.place === 'elsewhere') return this.advanceElsewhere(job, step, steps.length);
    const advanced = await leases.advance(job, steps.length, (client) => step.run(client, job.cursor));
    relay.wake();
    if (advanced === 'finished') observer.finished(job.type, 'completed');
    return advanced;
  }

  private async advanceElsewhere(
    job: LeasedJob,
    { topic, step, params }: Extract<JobStepPlan, { place: 'elsewhere' }>,
    steps: number,
  ): Promise<Advanced | undefined> {
    const { asker, leases, observer } = this.options;
    const reply = await asker.ask({
      topic: topic.name,
      key: job.jobId,
      value: JSON.stringify({ job_id: job.jobId, step, params, cursor: job.cursor }),
      // Past its deadline nobody reads the report, and the piece is asked for again: it need not be done twice.
      kind: 'query',
      deadlineMs: STEP_DEADLINE_MS,
    });
    if ('error' in reply) {
      const { code, message } = reply.error;
      if (code === 'UNAVAILABLE' || code === 'INTERNAL_ERROR') throw new Error(`${topic.name}: ${message}`);
      await leases.fail(job, message);
      observer.finished(job.type, 'failed');
      return undefined;
    }
    const report = parseJobStepReport(reply.ok);
    if (!report.ok) throw new Error(`${topic.name}: the report is ${report.error}`);
    const advanced = await leases.advance(job, steps, () => Promise.resolve({ report: report.value }));
    if (advanced === 'finished') observer.finished(job.type, 'completed');
    return advanced;
  }

  /** Later it may work: a service is back, a bug is mended. Only what a service refuses fails a job. */
  private async postpone(job: LeasedJob, reason: unknown): Promise<void> {
    const { leases, log, observer } = this.options;
    const isOurs = this.isStopping;
    const delayMs = isOurs ? 0 : retryDelayMs(job.attempts);
    if (!isOurs) {
      log.warn({ err: reason, job: job.jobId, delayMs }, 'A job could not go on; it is tried again.');
      observer.postponed(job.type);
    }
    try {
      await leases.giveBack(job, delayMs, !isOurs);
    } catch (error) {
      log.warn({ err: error, job: job.jobId }, 'A job could not be given back; its lease will run out.');
    }
  }
}
