import { ATTRIBUTION_LEDGER } from '@truetally/contracts/attribution';
import { startForgetting } from '@truetally/resource';
import { ReadTurns, runService, type ServiceContext, type ServiceParts } from '@truetally/service';
import { readLedgerConfig } from './config.js';
import { CreateCommissionRuleHandler } from './create-commission-rule/create-commission-rule.handler.js';
import { unpackFacts } from './domain/facts.js';
import { followSites } from './follow-sites/follow-sites.js';
import { listCommissionRules } from './list-commission-rules/list-commission-rules.js';
import { listOrders } from './list-orders/list-orders.js';
import { listSealedRecords } from './list-sealed-records/list-sealed-records.js';
import { listTouches } from './list-touches/list-touches.js';
import { followTouches } from './match-touches/match-touches.js';
import { observeRecording, observeVerification } from './metrics.js';
import { readChain } from './read-chain/read-chain.js';
import { readOrder } from './read-order/read-order.js';
import { RecordConversionConsumer } from './record-conversion/record-conversion.consumer.js';
import { RecordConversionHandler } from './record-conversion/record-conversion.handler.js';
import { RecordTouchesConsumer } from './record-touches/record-touches.consumer.js';
import { RecordTouchesHandler } from './record-touches/record-touches.handler.js';
import { RunVerificationStepHandler } from './run-verification-step/run-verification-step.handler.js';
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
const FACTS_GATHER_MS = 250;

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
  const relay = openRelay({ gatherMs: FACTS_GATHER_MS, unpack: unpackFacts });
  const observer = observeRecording(metrics);
  const ledger = new LedgerStore(pool, observer);
  const results = new VerificationStore(pool);
  const { onBroken, ...verification } = observeVerification(metrics, log);
  const verifier = new ChainVerifier(new ChainPieceStore(pool), results, verification);
  const times = VERIFICATION_TIMES;
  const schedule = new VerificationSchedule({ verifier, results, log, times, onBroken });
  const forgetting = startForgetting(pool, log);
  const turns = new ReadTurns(READS_AT_ONCE, READS_OF_HOLDER);
  const [orders, rules, touches] = [
    new OrderStore(pool),
    new RuleStore(pool),
    new TouchStore(pool, observer.lostRace),
  ];
  const steps = new RunVerificationStepHandler(verifier, results);
  const created = new CreateCommissionRuleHandler(rules, relay);
  return {
    answers: {
      readOrder: readOrder(orders),
      listOrders: turns.taken(listOrders(new OrderListStore(pool), orders)),
      listSealedRecords: turns.taken(listSealedRecords(new ChainStore(pool))),
      readChain: readChain(results),
      runVerificationStep: (step) => steps.handle(step),
      listTouches: listTouches(touches),
      createCommissionRule: (asked, { correlationId }) => created.handle(asked, correlationId),
      listCommissionRules: listCommissionRules(rules),
    },
    controllers: [RecordConversionConsumer, RecordTouchesConsumer],
    providers: [new RecordConversionHandler(ledger, relay), new RecordTouchesHandler(touches, relay)],
    siteErasure: touchErasure(pool),
    personErasure: sessionErasure(pool, messaging),
    follow: [
      () => followTouches({ messaging, pool, ledger, relay }),
      () => followSites({ messaging, pool }),
      () => Promise.resolve(schedule.start()),
    ],
    stop: () => forgetting.close(),
  };
}
