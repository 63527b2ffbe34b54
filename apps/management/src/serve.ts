import 'reflect-metadata';
import type { INestMicroservice } from '@nestjs/common';
import { MANAGEMENT_TOPICS, TOPICS } from '@truetally/contracts/topics';
import { type Subscription } from '@truetally/messaging';
import { runUntilSignal } from '@truetally/platform';
import { ResourceDatabase, startForgetting } from '@truetally/resource';
import { layFoundation, openRelay, serveMessages } from '@truetally/service';
import { followAudit } from './audit-log/follow-audit.js';
import { readManagementConfig } from './config.js';
import { runJobs } from './jobs/run-jobs.js';
import { ManagementModule } from './management.module.js';
import { openMedia } from './media/open-media.js';
import { fillTopics } from './republish-facts/fill-topics.js';
import { appendToAuditLog } from './storage/audit-log.store.js';
import { forgetFinishedJobs } from './storage/job.store.js';

/** Beside those of `DATABASE_CONNECTIONS`. */
const READING_CONNECTIONS = 2;

const config = readManagementConfig();
const foundation = await layFoundation({
  service: 'management',
  config,
  databaseConnections: config.DATABASE_CONNECTIONS,
  pipeline: true,
});
const { log, metrics, messaging, pool, operations } = foundation;
const reader = foundation.openReader(READING_CONNECTIONS);
const relay = openRelay(foundation);
const media = await openMedia({ config, pool, log });
const jobs = runJobs({ config, messaging, pool, relay, log, metrics });
const stopping = new AbortController();
let service: INestMicroservice | undefined;
let audit: Subscription | undefined;
const forgetting = startForgetting(pool, log, [forgetFinishedJobs]);

runUntilSignal({ log, timeoutMs: config.SHUTDOWN_TIMEOUT_MS, stop });
try {
  await start();
} catch (error) {
  // Whoever is told to stop while it still waits for Kafka or Postgres has not failed.
  if (!stopping.signal.aborted) throw error;
}

async function start(): Promise<void> {
  await messaging.start();
  await messaging.ensureTopics([
    ...MANAGEMENT_TOPICS,
    TOPICS.sites,
    TOPICS.credentials,
    TOPICS.members,
    TOPICS.campaigns,
    TOPICS.auditRecorded,
    TOPICS.deadLetters,
    TOPICS.runIngestionStep,
    TOPICS.runLedgerStep,
  ]);
  relay.start();
  await fillTopics({
    pool,
    relay,
    messaging,
    log,
    everything: config.REPUBLISH_ON_START,
    signal: stopping.signal,
  });
  await jobs.start();
  const { files, sweeper } = media;
  const database = new ResourceDatabase({ pool, reader, relay, audit: appendToAuditLog });
  const module = ManagementModule.using({ database, runner: jobs.runner, files, sweeper });
  [service, audit] = await Promise.all([
    serveMessages(module, messaging, 'management'),
    followAudit({ messaging, pool }),
  ]);
  foundation.setServing(true);
}

/** First no new work, then what is under way, then the connections that it needed. */
async function stop(): Promise<void> {
  foundation.setServing(false);
  stopping.abort();
  forgetting.stop();
  await Promise.all([service?.close(), audit?.close()]);
  await media.stop();
  await jobs.stop();
  // Together: with Kafka away, the relay's publish ends only when messaging gives it up. It is in the outbox still.
  await Promise.all([relay.stop(), messaging.close()]);
  await Promise.all([pool.end(), reader.close()]);
  await operations.close();
}
