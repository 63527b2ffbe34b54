import 'reflect-metadata';
import type { INestMicroservice } from '@nestjs/common';
import { TOPICS } from '@truetally/contracts/topics';
import { type Subscription } from '@truetally/messaging';
import { OutboxRelay } from '@truetally/persistence';
import { runUntilSignal } from '@truetally/platform';
import { layFoundation, openRelay, serveMessages } from '@truetally/service';
import { readLedgerConfig } from './config.js';
import { LedgerModule } from './ledger.module.js';
import { observeRecording } from './metrics.js';
import { followTouches } from './match-touches/match-touches.js';
import { LedgerStore } from './storage/ledger.store.js';
import { OrderStore } from './storage/order.store.js';
import { RuleStore } from './storage/rule.store.js';
import { TouchErasure } from './storage/touch.erasure.js';
import { TouchStore } from './storage/touch.store.js';

const TOPICS_USED = [
  TOPICS.recordTouches,
  TOPICS.recordConversion,
  TOPICS.readOrder,
  TOPICS.listTouches,
  TOPICS.createCommissionRule,
  TOPICS.listCommissionRules,
  TOPICS.runLedgerStep,
  TOPICS.touchesRecorded,
  TOPICS.conversionsRecorded,
  TOPICS.ledgerSealed,
  TOPICS.auditRecorded,
  TOPICS.deadLetters,
];

const config = readLedgerConfig();
const foundation = await layFoundation({
  service: 'attribution-ledger',
  config,
  databaseConnections: config.DATABASE_CONNECTIONS,
});
const { log, metrics, messaging, pool, operations } = foundation;
const relay = openRelay(foundation);
const observer = observeRecording(metrics);
const ledger = new LedgerStore(pool, observer);
const stopping = new AbortController();
let service: INestMicroservice | undefined;
let matching: Subscription | undefined;

runUntilSignal({ log, timeoutMs: config.SHUTDOWN_TIMEOUT_MS, stop });
try {
  await start();
} catch (error) {
  // Whoever is told to stop while it still waits for Kafka or Postgres has not failed.
  if (!stopping.signal.aborted) throw error;
}

async function start(): Promise<void> {
  await messaging.start();
  await messaging.ensureTopics(TOPICS_USED);
  relay.start();
  const module = LedgerModule.using([
    { provide: OutboxRelay, useValue: relay },
    { provide: LedgerStore, useValue: ledger },
    { provide: TouchStore, useValue: new TouchStore(pool, observer.lostRace) },
    { provide: RuleStore, useValue: new RuleStore(pool) },
    { provide: OrderStore, useValue: new OrderStore(pool) },
    { provide: TouchErasure, useValue: new TouchErasure(pool) },
  ]);
  service = await serveMessages(module, messaging, 'attribution-ledger');
  matching = await followTouches({ messaging, pool, ledger, relay });
  foundation.setServing(true);
}

/** First no new work, then what is under way, then the connections that it needed. */
async function stop(): Promise<void> {
  foundation.setServing(false);
  stopping.abort();
  await Promise.all([service?.close(), matching?.close()]);
  // Together: with Kafka away, the relay's publish ends only when messaging gives it up. It is in the outbox still.
  await Promise.all([relay.stop(), messaging.close()]);
  await pool.end();
  await operations.close();
}
