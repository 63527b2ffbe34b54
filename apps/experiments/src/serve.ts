import { EXPERIMENTS } from '@truetally/contracts/experiments';
import { ResourceAnswers, ResourceDatabase, startForgetting } from '@truetally/resource';
import {
  ReadTurns,
  recordAudit,
  runService,
  type ServiceContext,
  type ServiceParts,
  StateKeeper,
} from '@truetally/service';
import { readExperimentsConfig } from './config.js';
import { AssignSessionConsumer } from './assign-session/assign-session.consumer.js';
import { AssignSessionHandler } from './assign-session/assign-session.handler.js';
import { experimentsAnswers } from './experiments/experiments.consumer.js';
import { FairFold } from './fold-facts/fair-fold.js';
import { foldFacts } from './fold-facts/fold-facts.js';
import { foldPending } from './fold-facts/fold-pending.js';
import { learnSurroundings, learnTouches } from './learn-surroundings/learn-surroundings.js';
import { SiteCopies } from './learn-surroundings/site-copies.js';
import { planSample } from './plan-sample/plan-sample.js';
import { ReadWithheldConsumer } from './read-withheld/read-withheld.consumer.js';
import { reportsAnswers } from './report-results/report-results.consumer.js';
import { AssignmentStore } from './storage/assignment.store.js';
import { sessionErasure } from './storage/person-erasure.js';
import { experimentErasure } from './storage/experiment-erasure.js';
import { SOURCES } from './experiments/state-sources.js';
import { ExclusionStore } from './storage/exclusion.store.js';
import { FoldStore } from './storage/fold.store.js';
import { WithheldStore } from './storage/withheld.store.js';

/** In addition to `DATABASE_CONNECTIONS`. */
const READING_CONNECTIONS = 2;

/** Of eight connections; assignments and folds need the others. */
const READS_AT_ONCE = 3;
const READS_OF_HOLDER = 2;

/**
 * A pass over the outbox costs Kafka a transaction in each partition, and each new assignment is a fact. Definitions
 * travel with them, and reach gateways within their second.
 */
const FACTS_GATHER_MS = 250;

/** Runs the service until a signal ends the process. Resolves when it serves. @throws ConfigError */
export async function serve(environment?: NodeJS.ProcessEnv): Promise<void> {
  const config = readExperimentsConfig(environment);
  await runService({
    entry: EXPERIMENTS,
    config,
    databaseConnections: config.DATABASE_CONNECTIONS,
    pipeline: true,
    build,
  });
}

function build({ pool, log, messaging, stopping, openRelay, openReader }: ServiceContext): ServiceParts {
  const relay = openRelay({ gatherMs: FACTS_GATHER_MS });
  const reader = openReader(READING_CONNECTIONS);
  const states = new StateKeeper({ pool, relay, messaging, log, sources: SOURCES, signal: stopping });
  const forgetting = startForgetting(pool, log);
  const store = new FoldStore(pool);
  const database = new ResourceDatabase({ pool, reader, relay, audit: recordAudit });
  return {
    answers: {
      ...experimentsAnswers(new ResourceAnswers(database), new SiteCopies(pool)),
      ...reportsAnswers(database, new ReadTurns(READS_AT_ONCE, READS_OF_HOLDER)),
      planSample,
    },
    controllers: [AssignSessionConsumer, ReadWithheldConsumer],
    providers: [new AssignSessionHandler(new AssignmentStore(pool), relay), new WithheldStore(pool)],
    siteErasure: experimentErasure(pool),
    personErasure: sessionErasure(pool, messaging),
    prepare: () => states.start(),
    follow: [
      () => learnSurroundings({ messaging, pool }),
      () => learnTouches({ messaging, pool }),
      () => foldFacts({ messaging, pool, folding: new FairFold(store, log) }),
      () => Promise.resolve(foldPending(pool, store, new ExclusionStore(pool), log)),
    ],
    stop: async () => {
      await Promise.all([forgetting.close(), states.stop()]);
    },
  };
}
