import { ANALYTICS } from '@truetally/contracts/analytics';
import { DAY_MS } from '@truetally/kernel';
import {
  afterReading,
  ReadTurns,
  runService,
  type ServiceContext,
  type ServiceParts,
} from '@truetally/service';
import { ClickHouse } from './clickhouse/clickhouse-client.js';
import { ClickHouseErasure } from './clickhouse/clickhouse-erasure.js';
import { ClickHouseTraffic } from './clickhouse/clickhouse-traffic.js';
import { type AnalyticsConfig, readAnalyticsConfig } from './config.js';
import { keptSince } from './domain/report-window.js';
import { readEligibleSessions } from './eligible-sessions/read-eligible-sessions.js';
import { foldFacts, FOLDING } from './fold-facts/fold-facts.js';
import { ProgressWatch } from './fold-facts/watch-progress.js';
import { listEvents } from './list-events/list-events.js';
import { ReadRecommendationsConsumer } from './read-recommendations/read-recommendations.consumer.js';
import { RevenueHandlers } from './report-revenue/revenue.handlers.js';
import { ReportOpener } from './report-traffic/report-opener.js';
import { TrafficHandlers } from './report-traffic/traffic.handlers.js';
import { SiteDirectory } from './sites/site-directory.js';
import { oneAtATime } from './storage/erase-elsewhere.js';
import { sweepEvents } from './storage/event-sweeper.js';
import { pagesOf } from './storage/event-reads.js';
import { FoldStore } from './storage/fold.store.js';
import { addParkedBaskets, waitingInLine } from './storage/parked-baskets.store.js';
import { sweepProducts } from './storage/product-sweeper.js';
import { readSeenSessions } from './read-seen-sessions/read-seen-sessions.js';
import { RecommendationReads } from './storage/recommendation-reads.js';
import { ReportReads } from './storage/report-reads.js';
import { sessionErasure } from './storage/person-erasure.js';
import { analyticsErasure } from './storage/site-erasure.js';

/** Of eight connections; folding and recommendations need the others. A funnel may take 30 s: one owner never has all of them. */
const READS_AT_ONCE = 4;
const READS_OF_HOLDER = 2;

/** Runs the service until a signal ends the process. Resolves when it serves. @throws ConfigError */
export async function serve(environment?: NodeJS.ProcessEnv): Promise<void> {
  const config = readAnalyticsConfig(environment);
  await runService({
    entry: ANALYTICS,
    config,
    databaseConnections: config.DATABASE_CONNECTIONS,
    build: (context) => build(config, context),
  });
}

function build(config: AnalyticsConfig, { pool, log, metrics, messaging }: ServiceContext): ServiceParts {
  const sites = new SiteDirectory(log);
  const clickHouse =
    config.ANALYTICS_STORE === 'clickhouse' ? new ClickHouse({ url: config.CLICKHOUSE_URL }) : undefined;
  const traffic = clickHouse && new ClickHouseTraffic(clickHouse, config.EVENT_RETENTION_DAYS);
  const elsewhere = clickHouse && new ClickHouseErasure(clickHouse, pool);
  const keepsEvents = clickHouse === undefined;
  const ofSites = analyticsErasure(pool, { elsewhere });
  const ofPeople = sessionErasure(pool, elsewhere);
  const alone: ReturnType<typeof oneAtATime> = keepsEvents ? (_, step) => step() : oneAtATime(log);
  const store = new FoldStore(pool, keepsEvents, (siteId) => sites.workspaceOf(siteId));
  observeLine({ metrics, pool });
  const progress = new ProgressWatch(messaging, pool, log, !keepsEvents);
  const reads = new ReportReads(pool, traffic, () => progress.look());
  const opener = new ReportOpener(reads, sites);
  const turns = new ReadTurns(READS_AT_ONCE, READS_OF_HOLDER);
  const reports = new TrafficHandlers(opener, () => ({
    since: keptSince(config.EVENT_RETENTION_DAYS, Date.now()),
    areSummed: keepsEvents,
  }));
  const revenue = new RevenueHandlers(opener);
  return {
    answers: {
      readOverview: turns.taken((asked) => reports.overview(asked)),
      readTimeseries: turns.taken((asked) => reports.timeseries(asked)),
      readFunnel: turns.taken((asked) => reports.funnel(asked)),
      readRevenue: turns.taken((asked) => revenue.report(asked)),
      listRevenueItems: turns.taken((asked) => revenue.items(asked)),
      listEvents: turns.taken(listEvents(traffic ?? pagesOf(pool))),
      readEligibleSessions: turns.taken(readEligibleSessions(reads, sites)),
      readSeenSessions: turns.taken(readSeenSessions(reads)),
    },
    controllers: [ReadRecommendationsConsumer],
    providers: [new RecommendationReads(pool)],
    siteErasure: {
      step: (name, siteId, cursor) => alone({ name, cursor }, () => ofSites.step(name, siteId, cursor)),
    },
    personErasure: afterReading(
      { messaging, groups: [FOLDING] },
      { step: (asked) => alone(asked, () => ofPeople.step(asked)) },
    ),
    prepare: () => sites.open(messaging),
    follow: [
      () =>
        foldFacts({
          messaging,
          pool,
          store,
          sites,
          keepsEvents,
          keptMs: config.EVENT_RETENTION_DAYS * DAY_MS,
        }),
      () => Promise.resolve(addParkedBaskets(pool, log)),
      () => Promise.resolve(sweepProducts(pool, log)),
      () => Promise.resolve(sweepEvents(pool, config.EVENT_RETENTION_DAYS, log)),
      () => Promise.resolve(progress.start()),
    ],
    stop: () => sites.close(),
  };
}

/** Left out while Postgres is away. */
function observeLine({ metrics, pool }: Pick<ServiceContext, 'metrics' | 'pool'>): void {
  const readLine = () =>
    waitingInLine(pool)
      .then((seconds) => [[{}, seconds] as const])
      .catch(() => []);
  const help = 'How long the oldest basket in line waits to be added to what is recommended.';
  metrics.observedAll('basket_line_seconds', help, [], readLine);
}
