import { MANAGEMENT } from '@truetally/contracts/management';
import type { Repetition } from '@truetally/platform';
import { ResourceDatabase, startForgetting } from '@truetally/resource';
import { runService, type ServiceContext, type ServiceParts, StateKeeper } from '@truetally/service';
import { forgetEndedKeys } from './api-keys/forget-ended-keys.js';
import { managementAnswers } from './answers.js';
import { followAudit } from './audit-log/follow-audit.js';
import { readManagementConfig, type ManagementConfig } from './config.js';
import { followDeadLetters } from './dead-letters/follow-dead-letters.js';
import { runJobs } from './jobs/run-jobs.js';
import { MediaConsumer } from './media/media.consumer.js';
import { openMedia } from './media/open-media.js';
import { schedulePulls } from './pull-integrations/pull-scheduler.js';
import { SOURCES } from './republish-facts/state-sources.js';
import { appendToAuditLog } from './storage/audit-log.store.js';
import { forgetDeadLetters } from './storage/dead-letter.store.js';
import { forgetGoneFeeds } from './storage/feed-items.store.js';
import { forgetFinishedJobs } from './storage/job.store.js';
import { forgetCounts } from './storage/often-made.store.js';
import { forgetEndedImports } from './storage/profile-import.store.js';
import { forgetWorkerMessages } from './storage/pull.store.js';

/** In addition to `DATABASE_CONNECTIONS`. */
const READING_CONNECTIONS = 2;

/** Runs the service until a signal ends the process. Resolves when it serves. @throws ConfigError */
export async function serve(environment?: NodeJS.ProcessEnv): Promise<void> {
  const config = readManagementConfig(environment);
  await runService({
    entry: MANAGEMENT,
    config,
    databaseConnections: config.DATABASE_CONNECTIONS,
    pipeline: true,
    build: (context) => build(config, context),
  });
}

async function build(config: ManagementConfig, context: ServiceContext): Promise<ServiceParts> {
  const { pool, log, metrics, messaging, stopping, openRelay, openReader } = context;
  const relay = openRelay();
  const reader = openReader(READING_CONNECTIONS);
  const { files, sweeper, stop: stopMedia } = await openMedia({ config, pool, log });
  const jobs = runJobs({ config, messaging, pool, relay, log, metrics });
  const forgetting = startForgetting(pool, log, [
    forgetFinishedJobs,
    forgetDeadLetters,
    forgetWorkerMessages,
    forgetEndedImports,
    forgetGoneFeeds,
    forgetCounts,
    forgetEndedKeys,
  ]);
  const intervals = {
    networkSeconds: config.SETTLEMENTS_PULL_INTERVAL_SECONDS,
    feedSeconds: config.FEEDS_SYNC_INTERVAL_SECONDS,
  };
  let pulls: Repetition | undefined;
  const everything = config.REPUBLISH_ON_START;
  const keeping = { pool, relay, messaging, log, sources: SOURCES, everything, signal: stopping };
  const states = new StateKeeper(keeping);
  const database = new ResourceDatabase({ pool, reader, relay, audit: appendToAuditLog });
  return {
    answers: managementAnswers({ database, messaging, runner: jobs.runner, sweeper }),
    controllers: [MediaConsumer],
    providers: [database, files],
    prepare: async () => {
      await states.start();
      await jobs.start();
      pulls = schedulePulls({ pool, relay, log, intervals });
    },
    follow: [() => followAudit({ messaging, pool }), () => followDeadLetters({ messaging, pool })],
    stop: async () => {
      await Promise.all([forgetting.close(), states.stop()]);
      await pulls?.close();
      await stopMedia();
      await jobs.stop();
    },
  };
}
