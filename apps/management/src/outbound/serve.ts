import { OUTBOUND } from '@truetally/contracts/outbound';
import { ReachableAddresses } from '@truetally/contracts/validation';
import { KafkaAskClient, OperationAsker } from '@truetally/messaging';
import type { Metrics, Repetition } from '@truetally/platform';
import { ResourceAnswers, ResourceDatabase, startForgetting } from '@truetally/resource';
import {
  afterReading,
  openKeyring,
  recordAudit,
  runService,
  type ServiceContext,
  type ServiceParts,
} from '@truetally/service';
import { type OutboundConfig, readOutboundConfig } from './config.js';
import { WorkflowDirectory } from './definitions/workflow-directory.js';
import { Deliverer, type DeliveryObserver } from './deliver/deliverer.js';
import { EndpointClient } from './deliver/endpoint-client.js';
import { deliveriesAnswers } from './deliveries/deliveries.consumer.js';
import { DeliveryHandlers } from './deliveries/deliveries.handlers.js';
import { FeedClient } from './feeds/feed-client.js';
import { FEED_LIMITS } from './feeds/feed-limits.js';
import { FeedRuns } from './feeds/feed-runs.js';
import { followFacts, MATCHING_GROUP } from './match-facts/follow-facts.js';
import { FactMatcher } from './match-facts/match-facts.js';
import { matchFactsInLine } from './match-facts/parked-line.js';
import { ReplaySteps } from './replay/replay-steps.js';
import { waitingInLine } from './storage/parked-fact.store.js';
import { forgetDeletedWorkflows, forgetOldDeliveries } from './storage/queue.store.js';
import { endOverdue } from './storage/overdue.store.js';
import { deliveryErasureOfPerson } from './storage/person-erasure.js';
import { outboundErasure } from './storage/site-erasure.js';
import { tellOutcomes } from './tell-management/tell-outcomes.js';

/** In addition to `DATABASE_CONNECTIONS`. */
const READING_CONNECTIONS = 2;

/** Runs the program until a signal ends it. Resolves when it serves. @throws ConfigError */
export async function serve(environment?: NodeJS.ProcessEnv): Promise<void> {
  const config = readOutboundConfig(environment);
  await runService({
    entry: OUTBOUND,
    config,
    databaseConnections: config.DATABASE_CONNECTIONS,
    pipeline: true,
    build: (context) => build(config, context),
  });
}

function build(
  config: OutboundConfig,
  { pool, log, metrics, messaging, openRelay, openReader }: ServiceContext,
): ServiceParts {
  const relay = openRelay();
  const reader = openReader(READING_CONNECTIONS);
  const keys = openKeyring(config.KEYRING_FILE, log, metrics);
  const forgetting = startForgetting(pool, log, [forgetOldDeliveries, forgetDeletedWorkflows, endOverdue]);
  const directory = new WorkflowDirectory({ messaging, pool, log });
  const reachable = new ReachableAddresses(config.ALLOW_PRIVATE_NETWORKS);
  const client = new EndpointClient(reachable);
  const observer = observerOf(metrics);
  const deliverer = new Deliverer({ pool, directory, client, keys, log, observer, random: Math.random });
  const onStored = (): void => {
    deliverer.wake();
  };
  const matcher = new FactMatcher({ pool, directory, log, onStored, onParked: () => line?.wake() });
  let line: Repetition | undefined;
  // Left out while Postgres is away.
  const readLine = () =>
    waitingInLine(pool)
      .then((seconds) => [[{}, seconds] as const])
      .catch(() => []);
  metrics.observedAll(
    'webhook_line_seconds',
    'How long the oldest fact in line waits for its matching.',
    [],
    readLine,
  );
  const telling = tellOutcomes({ pool, relay, directory, log });
  const database = new ResourceDatabase({ pool, reader, relay, audit: recordAudit });
  const asking = new KafkaAskClient(messaging);
  const feeds = new FeedRuns({
    client: new FeedClient(reachable, FEED_LIMITS),
    asker: new OperationAsker(asking, OUTBOUND.name),
    ...{ keys, log, limits: FEED_LIMITS },
  });
  return {
    answers: {
      ...deliveriesAnswers(new ResourceAnswers(database), {
        pool,
        handlers: new DeliveryHandlers(directory),
        steps: new ReplaySteps(pool, directory),
        deliverer,
      }),
      runFeedStep: (step) => feeds.handle(step),
    },
    siteErasure: outboundErasure(pool),
    personErasure: afterReading(
      // The first workflow's group begins a minute before it.
      { messaging, groups: [{ group: MATCHING_GROUP }], isBeginning: () => directory.index.size > 0 },
      deliveryErasureOfPerson(pool),
    ),
    prepare: async () => {
      await asking.connect();
      await directory.open();
      deliverer.start();
      line = matchFactsInLine({ pool, log, matcher, onStored });
      line.wake();
    },
    follow: [() => followFacts({ messaging, matcher, directory })],
    stop: async () => {
      const feedsEnd = feeds.stop();
      await asking.close();
      await Promise.all([forgetting.close(), line?.close(), deliverer.stop(), telling.close(), feedsEnd]);
      await directory.close();
      client.close();
      keys.close();
    },
  };
}

function observerOf(metrics: Metrics): DeliveryObserver {
  const attempts = metrics.counter('webhook_attempts_total', 'Attempts of deliveries, by their outcome.', [
    'outcome',
  ]);
  const waited = metrics.tallied(
    'webhook_first_attempt_delay_seconds',
    'From the creation of a delivery to its first attempt.',
    () => ({}),
  );
  return {
    attempted: (outcome) => attempts.inc({ outcome }),
    waited: (seconds) => waited.observe('', 0, seconds),
  };
}
