import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { TOPICS } from '@truetally/contracts/topics';
import { KeyringFile } from '@truetally/keyring';
import { KafkaAskClient } from '@truetally/messaging';
import { HealthReader, openKeyring } from '@truetally/service';
import { AdminSecret } from '../door/admin-secret.js';
import { Asker } from '../ask/ask.js';
import { BodyReader, Presence } from '../door/steps/body.js';
import { CampaignDirectory } from '../campaigns/campaign-directory.js';
import { applyCampaign } from '../campaigns/campaign-feed.js';
import { applyExperiment, ExperimentDirectory } from '../campaigns/experiment-directory.js';
import { Authenticator } from '../credentials/authenticate.js';
import { applyCredential, applyMember, applySite } from '../credentials/directory-feed.js';
import { KeyDirectory } from '../credentials/key-directory.js';
import { KeyUses } from '../credentials/key-uses.js';
import { MemberDirectory } from '../credentials/member-directory.js';
import { RuntimeTokens } from '../credentials/runtime-token.js';
import { SiteDirectory } from '../credentials/site-directory.js';
import { BodyBudget, ClientAddresses } from '../http/shares.js';
import { OutstandingAnswers, RequestCounter } from '../http/answers.js';
import { ResourceApi } from '../ask/resource.js';
import { HourlyLimiter } from '../limits/hourly-limiter.js';
import { RefusalTeller } from '../refusals/refusal-teller.js';
import { FactTables } from './fact-tables.js';
import { GatewayFoundation } from './gateway-foundation.js';
import { openCampaigns } from './open-campaigns.js';
import { openIdTokens } from './open-id-tokens.js';
import { openKeyUses } from './open-key-uses.js';
import { VisitorShares } from '../limits/visitor-shares.js';
import { openLimits } from './open-limits.js';
import { provide } from './provide.js';

const { sites, credentials, members, campaigns, experiments } = TOPICS;

const MEBIBYTE = 1024 * 1024;
/** Of all concurrently arriving bodies: those of backends and members, and those of pages. */
const CALLERS_BODIES_BYTES = 72 * MEBIBYTE;
/** More than the largest body (interface page, section 1) with its decompressor: that body alone is never refused for its share. */
const CALLER_SHARE_BYTES = 33 * MEBIBYTE;
const PAGES_BODIES_BYTES = 24 * MEBIBYTE;
const ADDRESS_SHARE_BYTES = 4 * MEBIBYTE;

/** The parts that every feature may use: Kafka, limits, credentials, in-memory tables, and resources. */
const PARTS = [
  provide(HealthReader, [GatewayFoundation], ({ health }) => health),
  provide(KeyringFile, [GatewayFoundation], ({ config, log, metrics, closing }) => {
    const keys = openKeyring(config.KEYRING_FILE, log, metrics);
    closing.add(() => keys.close());
    return keys;
  }),
  provide(KafkaAskClient, [GatewayFoundation], async ({ messaging, closing }) => {
    const asker = new KafkaAskClient(messaging);
    await asker.connect();
    closing.add(() => asker.close());
    return asker;
  }),
  FactTables,
  provide(SiteDirectory, [FactTables], (tables) => {
    const directory = new SiteDirectory();
    const apply = applySite.bind(undefined, directory);
    tables.add({ name: 'sites', topic: sites.name, held: directory, apply });
    return directory;
  }),
  provide(KeyDirectory, [FactTables], (tables) => {
    const directory = new KeyDirectory();
    const apply = applyCredential.bind(undefined, directory);
    tables.add({ name: 'credentials', topic: credentials.name, held: directory, apply });
    return directory;
  }),
  provide(MemberDirectory, [FactTables], (tables) => {
    const directory = new MemberDirectory();
    const apply = applyMember.bind(undefined, directory);
    const held = {
      keys: () => directory.keys(),
      forget: (key: string) => {
        directory.forgetKey(key);
      },
    };
    tables.add({ name: 'members', topic: members.name, held, apply });
    return directory;
  }),
  provide(CampaignDirectory, [GatewayFoundation, FactTables], (foundation, tables) => {
    const directory = openCampaigns(foundation);
    const apply = applyCampaign.bind(undefined, directory);
    tables.add({ name: 'campaigns', topic: campaigns.name, held: directory, apply });
    return directory;
  }),
  provide(ExperimentDirectory, [FactTables], (tables) => {
    const directory = new ExperimentDirectory();
    const apply = applyExperiment.bind(undefined, directory);
    tables.add({ name: 'experiments', topic: experiments.name, held: directory, apply });
    return directory;
  }),
  provide(Asker, [KafkaAskClient], (client) => new Asker(client)),
  provide(KeyUses, [GatewayFoundation, Asker], openKeyUses),
  provide(RefusalTeller, [Asker, VisitorShares, GatewayFoundation], (asker, visitors, foundation) => {
    const { log, metrics, closing } = foundation;
    const refusals = new RefusalTeller(asker, visitors, log);
    metrics.observed(
      'gateway_refused_events_unwritten',
      'Refused events that are not on the log yet; a gateway that is killed loses them from the counters.',
      () => refusals.unwritten,
    );
    closing.add(() => refusals.close());
    return refusals;
  }),
  provide(
    RuntimeTokens,
    [GatewayFoundation],
    ({ config }) => new RuntimeTokens(config.RUNTIME_TOKEN_KEYS, Date.now),
  ),
  provide(
    Authenticator,
    [GatewayFoundation, SiteDirectory, KeyDirectory, KeyUses, MemberDirectory, RuntimeTokens],
    (foundation, siteDirectory, keys, keyUses, memberDirectory, runtimeTokens) =>
      new Authenticator({
        sites: siteDirectory,
        keys,
        keyUses,
        members: memberDirectory,
        runtimeTokens,
        idTokens: openIdTokens(foundation),
        nowMs: Date.now,
      }),
  ),
  provide(HourlyLimiter, [GatewayFoundation, HealthReader], openLimits),
  provide(RequestCounter, [GatewayFoundation], ({ metrics }) => new RequestCounter(metrics)),
  provide(ClientAddresses, [GatewayFoundation], ({ config }) => config.TRUSTED_PROXIES),
  provide(
    VisitorShares,
    [ClientAddresses],
    (addresses) =>
      new VisitorShares(
        (request) => addresses.of(request),
        () => performance.now(),
      ),
  ),
  provide(OutstandingAnswers, [ClientAddresses], (addresses) => new OutstandingAnswers(addresses)),
  provide(BodyReader, [ClientAddresses, MemberDirectory], (addresses, members) => {
    const callers = new BodyBudget(CALLERS_BODIES_BYTES, CALLER_SHARE_BYTES);
    const pages = new BodyBudget(PAGES_BODIES_BYTES, ADDRESS_SHARE_BYTES);
    return new BodyReader({ callers, pages }, addresses, members, new Presence(() => performance.now()));
  }),
  provide(
    AdminSecret,
    [GatewayFoundation, ClientAddresses],
    ({ config, log }, addresses) =>
      new AdminSecret({
        secret: config.ADMIN_SECRET,
        addresses,
        monotonicMs: () => performance.now(),
        onWrong: (address, attempts) => {
          log.warn({ address, attempts }, 'Admin authentication failed.');
        },
      }),
  ),
  ResourceApi,
] as const;

/** The parts that no feature owns. Features depend on them, never on each other. */
@Global()
@Module({})
export class CoreModule {
  static over(foundation: GatewayFoundation): DynamicModule {
    const providers: Provider[] = [{ provide: GatewayFoundation, useValue: foundation }, ...PARTS];
    return {
      module: CoreModule,
      providers,
      exports: [GatewayFoundation, ...PARTS.map((part) => ('provide' in part ? part.provide : part))],
    };
  }
}
