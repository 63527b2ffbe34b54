import type { JobStep, JobStepReport } from '@truetally/contracts/jobs';
import { READ_FEED } from '@truetally/contracts/management';
import { failure, type Reply, UUID } from '@truetally/kernel';
import { type FeedOfJob, FeedRun, type FeedRunParts } from './feed-run.js';
import { RunOutcomes } from './run-outcomes.js';

/** Of one process: each holds a batch of rows and some buffers. */
const MAX_RUNS = 8;
/**
 * Of one person with all of its workspaces: feeds that trickle keep their places for as long as their jobs take turns. One once half of
 * all are taken: four persons would have them all.
 */
const MAX_RUNS_OF_A_HOLDER = 2;
/** How long a question waits for something to report: far shorter than a job's step may take. */
const REPORT_WAIT_MS = 3_000;
/** A job that was cancelled asks no more, one whose worker was killed asks again after seconds. */
const UNASKED_MS = 90_000;
/** Until a job is asked for again that waits for its turn: its worker has a place for others meanwhile. */
const AGAIN_IN_MS = 5_000;
const SWEEP_MS = 5_000;

/** The readings of this process. A job's step asks how far its reading is, and begins it when there is none. */
export class FeedRuns {
  private readonly runs = new Map<string, FeedRun>();
  private readonly timer: NodeJS.Timeout;
  private isStopping = false;

  constructor(private readonly parts: FeedRunParts) {
    this.timer = setInterval(() => this.sweep(), SWEEP_MS);
    this.timer.unref();
  }

  async handle({ job_id: jobId, step, params, cursor }: JobStep): Promise<Reply<JobStepReport>> {
    // From a newer version than this replica: a replica that is updated can do it.
    if (step !== READ_FEED) return failure('UNAVAILABLE', `The step ${step} is not known here.`);
    const { integration_id: integrationId = '', holder = jobId } = params;
    const reported = Number(cursor ?? 0);
    if (!UUID.test(integrationId) || !Number.isSafeInteger(reported))
      return failure('VALIDATION_ERROR', 'The step breaks a rule.');
    const name = `${jobId}/${integrationId}`;
    const known = this.runs.get(name);
    const run = known ?? this.begin(name, { jobId, integrationId, holder }, reported);
    if (run === undefined) return { ok: { ...new RunOutcomes(reported).report(), again_in_ms: AGAIN_IN_MS } };
    const reply = await run.report(reported, REPORT_WAIT_MS);
    // Another question may have begun it anew since.
    if (run.isGivenUp && this.runs.get(name) === run) this.runs.delete(name);
    return reply;
  }

  /** Ends all of them; what they have read is read again elsewhere. */
  async stop(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.timer);
    for (const run of this.runs.values()) run.stop();
    await Promise.all([...this.runs.values()].map(({ done }) => done));
  }

  private begin(name: string, feed: FeedOfJob, reported: number): FeedRun | undefined {
    const underWay = [...this.runs.values()].filter(({ hasEnded }) => !hasEnded);
    const own = underWay.filter((run) => run.feed.holder === feed.holder);
    const share = underWay.length < MAX_RUNS / 2 ? MAX_RUNS_OF_A_HOLDER : 1;
    if (this.isStopping || underWay.length >= MAX_RUNS || own.length >= share) return undefined;
    const run = new FeedRun(this.parts, feed, reported);
    this.runs.set(name, run);
    return run;
  }

  private sweep(): void {
    const before = performance.now() - UNASKED_MS;
    for (const [name, run] of this.runs) {
      if (run.askedAtMs > before) continue;
      run.stop();
      this.runs.delete(name);
    }
  }
}
