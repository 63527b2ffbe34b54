import { MANAGEMENT } from '@truetally/contracts/management';
import { KafkaAskClient, OperationAsker } from '@truetally/messaging';
import type { OutboxRelay } from '@truetally/persistence';
import type { ServiceContext } from '@truetally/service';
import type { ManagementConfig } from '../config.js';
import { JobLeases } from '../storage/job-leases.js';
import { EVERY_JOB } from './every-job.js';
import { JobRunner } from './job-runner.js';

/** How long the jobs of a killed worker wait. */
const LEASE_MS = 6_000;
const RENEW_MS = 1_500;
const LOOK_MS = 1_000;
const ONE_PER_SITE = Object.keys(EVERY_JOB).filter((type) => EVERY_JOB[type]?.onePerSite);

interface WorkerContext extends Pick<ServiceContext, 'log' | 'messaging' | 'metrics' | 'pool'> {
  readonly config: Pick<ManagementConfig, 'INSTANCE_ID'>;
  readonly relay: OutboxRelay;
}

/** This replica's job worker. */
export interface RunningJobs {
  readonly runner: JobRunner;
  /** Resolves when other services can be asked. */
  start(): Promise<void>;
  /** Returns the current jobs; pending requests to other services are not awaited. */
  stop(): Promise<void>;
}

export function runJobs({ config, messaging, pool, relay, log, metrics }: WorkerContext): RunningJobs {
  const asker = new KafkaAskClient(messaging);
  const finished = metrics.counter('jobs_finished_total', 'Jobs that came to their end.', ['type', 'state']);
  const postponed = metrics.counter('job_retries_total', 'Attempts at a job that came to nothing.', ['type']);
  // Else a type's first attempts would be the first value of its series, of which increase() sees nothing.
  for (const type of Object.keys(EVERY_JOB)) postponed.inc({ type }, 0);
  const runner = new JobRunner({
    leases: new JobLeases({ pool, owner: config.INSTANCE_ID, leaseMs: LEASE_MS, onePerSite: ONE_PER_SITE }),
    kinds: EVERY_JOB,
    asker: new OperationAsker(asker, MANAGEMENT.name),
    relay,
    log,
    observer: {
      finished: (type, state) => finished.inc({ type, state }),
      postponed: (type) => postponed.inc({ type }),
    },
    renewMs: RENEW_MS,
    lookMs: LOOK_MS,
  });
  let isStarted = false;
  return {
    runner,
    start: async () => {
      await asker.connect();
      isStarted = true;
      runner.start();
    },
    stop: async () => {
      const stopped = isStarted ? runner.stop() : Promise.resolve();
      await asker.close();
      await stopped;
    },
  };
}
