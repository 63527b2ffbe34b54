import { ATTRIBUTION_LEDGER } from '@truetally/contracts/attribution';
import { OutboxRelay } from '@truetally/persistence';
import {
  ReadTurns,
  runService,
  type ServiceContext,
  type ServiceParts,
  WAITING_READS,
} from '@truetally/service';
import { readLedgerConfig } from './config.js';
import { followSites } from './follow-sites/follow-sites.js';
import { LedgerModule } from './ledger.module.js';
import { followTouches } from './match-touches/match-touches.js';
import { observeRecording, observeVerification } from './metrics.js';
import { ChainStore } from './storage/chain.store.js';
import { ChainPieceStore } from './storage/chain-piece.store.js';
import { LedgerStore } from './storage/ledger.store.js';
import { OrderStore } from './storage/order.store.js';
import { OrderListStore } from './storage/order-list.store.js';
import { RuleStore } from './storage/rule.store.js';
import { sessionErasure } from './storage/person-erasure.js';
import { touchErasure } from './storage/touch-erasure.js';
import { TouchStore } from './storage/touch.store.js';
import { VerificationStore } from './storage/verification.store.js';
import { ChainVerifier } from './verify-chain/chain-verifier.js';
import { VERIFICATION_TIMES, VerificationSchedule } from './verify-chain/verification-schedule.js';

/** Of ten connections: a page of orders looks at up to 20,000, and conversions never wait for one. */
const READS_AT_ONCE = 3;
const READS_OF_HOLDER = 2;
/** Nobody waits for a fact of the ledger, and a pass over the outbox costs Kafka a transaction in each partition. */
const FACTS_GATHER_MS = 60;

/** Runs the service until a signal ends the process. Resolves when it serves. @throws ConfigError */
export async function serve(environment?: NodeJS.ProcessEnv): Promise<void> {
  const config = readLedgerConfig(environment);
  await runService({
    entry: ATTRIBUTION_LEDGER,
    config,
    databaseConnections: config.DATABASE_CONNECTIONS,
    pipeline: true,
    build,
  });
}

function build({ pool, messaging, metrics, log, openRelay }: ServiceContext): ServiceParts {
  const relay = openRelay({ gatherMs: FACTS_GATHER_MS });
  const observer = observeRecording(metrics);
  const ledger = new LedgerStore(pool, observer);
  const results = new VerificationStore(pool);
  const { onBroken, ...verification } = observeVerification(metrics);
  const verifier = new ChainVerifier(new ChainPieceStore(pool), results, verification);
  const times = VERIFICATION_TIMES;
  const schedule = new VerificationSchedule({ verifier, results, log, times, onBroken });
  return {
    module: LedgerModule.using([
      { provide: OutboxRelay, useValue: relay },
      { provide: LedgerStore, useValue: ledger },
      { provide: TouchStore, useValue: new TouchStore(pool, observer.lostRace) },
      { provide: RuleStore, useValue: new RuleStore(pool) },
      { provide: OrderStore, useValue: new OrderStore(pool) },
      { provide: ReadTurns, useValue: new ReadTurns(READS_AT_ONCE, READS_OF_HOLDER) },
      { provide: OrderListStore, useValue: new OrderListStore(pool) },
      { provide: ChainStore, useValue: new ChainStore(pool) },
      { provide: VerificationStore, useValue: results },
      { provide: ChainVerifier, useValue: verifier },
    ]),
    handlersInFlight: WAITING_READS,
    siteErasure: touchErasure(pool),
    personErasure: sessionErasure(pool),
    follow: [
      () => followTouches({ messaging, pool, ledger, relay }),
      () => followSites({ messaging, pool }),
      () => Promise.resolve(schedule.start()),
    ],
  };
}
