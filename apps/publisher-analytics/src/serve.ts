import { PUBLISHER_ANALYTICS } from '@truetally/contracts/publisher';
import { ReachableAddresses } from '@truetally/contracts/validation';
import { KafkaAskClient } from '@truetally/messaging';
import { openObjectStore } from '@truetally/object-store';
import type { Repetition } from '@truetally/platform';
import {
  afterReading,
  openKeyring,
  ReadTurns,
  runService,
  type ServiceContext,
  type ServiceParts,
} from '@truetally/service';
import { readPublisherConfig, type PublisherConfig } from './config.js';
import { unpackFacts } from './domain/facts.js';
import { findClick } from './find-click/find-click.js';
import { followClicks, FOLLOWING } from './follow-clicks/follow-clicks.js';
import { countParkedClicks } from './follow-clicks/parked-counter.js';
import { RowJudge } from './import-settlements/judge-rows.js';
import { SettlementImport } from './import-settlements/import-settlements.js';
import { OtherWork } from './import-settlements/other-work.js';
import { Uploads } from './import-settlements/read-upload.js';
import { sweepUploads } from './import-settlements/upload-sweeper.js';
import { listSettlementStates } from './list-settlement-states/list-settlement-states.js';
import { listSettlements } from './list-settlements/list-settlements.js';
import { IntegrationAccess } from './pull-settlements/integration-access.js';
import { NetworkClient } from './pull-settlements/network-client.js';
import { SettlementPull } from './pull-settlements/pull-settlements.js';
import { ReadReportHandler } from './read-report/read-report.handler.js';
import { RunSettlementStepHandler } from './run-settlement-step/run-settlement-step.handler.js';
import { CalendarKeeper } from './sites/calendar-keeper.js';
import { SiteDirectory } from './sites/site-directory.js';
import { ClickStore } from './storage/click.store.js';
import { PullStore } from './storage/pull.store.js';
import { ReportReads } from './storage/report-reads.js';
import { ReportRebuild } from './storage/report-rebuild.js';
import { SettlementReads } from './storage/settlement-reads.js';
import { SettlementStore } from './storage/settlement.store.js';
import { referenceErasure } from './storage/person-erasure.js';
import { publisherErasure } from './storage/site-erasure.js';
import { SiteScopes } from './storage/site-scope.js';
import { StepAttempts } from './storage/step-attempts.js';

/** As many as make use of Postgres beside this process; a report of years takes a fifth of a second of both. */
const READS_AT_ONCE = 2;
const READS_OF_HOLDER = 1;

/** Of packed rows: to write as many as a pass has would occupy the process for a tenth of a second. */
const FACT_BYTES_PER_SEND = 150_000;

/** Runs the service until a signal ends the process. Resolves when it serves. @throws ConfigError */
export async function serve(environment?: NodeJS.ProcessEnv): Promise<void> {
  const config = readPublisherConfig(environment);
  await runService({
    entry: PUBLISHER_ANALYTICS,
    config,
    databaseConnections: config.DATABASE_CONNECTIONS,
    pipeline: true,
    build: (context) => build(config, context),
  });
}

async function build(
  config: PublisherConfig,
  { pool, log, metrics, messaging, openRelay }: ServiceContext,
): Promise<ServiceParts> {
  const keys = openKeyring(config.KEYRING_FILE, log, metrics);
  const store = await openObjectStore(config.uploadStore);
  const asker = new KafkaAskClient(messaging);
  const sites = new SiteDirectory(log);
  const scopes = new SiteScopes((siteId) => sites.timeZoneOf(siteId));
  const calendars = new CalendarKeeper(sites, new ReportRebuild(pool, scopes), log);
  const uploads = new Uploads(store, keys);
  const shared = {
    pool,
    relay: openRelay({ unpack: unpackFacts, bytesPerSend: FACT_BYTES_PER_SEND }),
    nowMs: Date.now,
  };
  const settlements = new SettlementStore(scopes);
  const judge = new RowJudge(keys, Date.now);
  const imports = new SettlementImport({
    ...shared,
    uploads,
    judge,
    settlements,
    others: new OtherWork(() => performance.now()),
  });
  const pulls = new SettlementPull({
    ...shared,
    judge,
    settlements,
    access: new IntegrationAccess(asker, keys),
    pulls: new PullStore(pool),
    client: new NetworkClient(new ReachableAddresses(config.ALLOW_PRIVATE_NETWORKS)),
    random: Math.random,
  });
  const clicks = new ClickStore(pool, scopes);
  let parked: Repetition | undefined;
  let sweeping: Repetition | undefined;
  const turns = new ReadTurns(READS_AT_ONCE, READS_OF_HOLDER);
  const report = new ReadReportHandler(new ReportReads(pool), scopes, sites);
  const settled = new SettlementReads(pool);
  const steps = new RunSettlementStepHandler(imports, pulls, new StepAttempts(pool));
  return {
    answers: {
      readPublisherReport: turns.taken((asked) => report.handle(asked)),
      listSettlements: turns.taken(listSettlements(settled)),
      listSettlementStates: turns.taken(listSettlementStates(settled)),
      findClick: findClick(settled),
      runSettlementStep: (step) => steps.handle(step),
    },
    siteErasure: publisherErasure(pool),
    personErasure: afterReading({ messaging, groups: [FOLLOWING] }, referenceErasure(pool)),
    prepare: async () => {
      await asker.connect();
      await sites.open(messaging);
      await calendars.start(pool);
      sweeping = sweepUploads(uploads, log);
      parked = countParkedClicks(pool, clicks, log);
      parked.wake();
    },
    follow: [() => followClicks(messaging, clicks, () => parked?.wake())],
    stop: async () => {
      await Promise.all([sweeping?.close(), parked?.close(), calendars.stop(), asker.close(), sites.close()]);
      await store.close();
      keys.close();
    },
  };
}
