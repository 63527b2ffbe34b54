import { randomBytes, randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { API_KEY_RANDOM_BYTES, mintApiKey, type Scope } from '@truetally/contracts/credentials';
import { succeed } from '@truetally/kernel';
import { AdminSecret } from '../door/admin-secret.js';
import { demandOf } from '../http/route-rules.js';
import type { AdmissionParts } from '../door/steps/step.js';
import { BodyReader, Presence } from '../door/steps/body.js';
import { Edge, type EdgeParts } from '../door/edge.js';
import { openLane } from '../door/lane/lane.js';
import { Authenticator } from '../credentials/authenticate.js';
import type { User } from '../credentials/caller.js';
import { KeyDirectory } from '../credentials/key-directory.js';
import { MemberDirectory } from '../credentials/member-directory.js';
import { RuntimeTokens } from '../credentials/runtime-token.js';
import { SiteDirectory } from '../credentials/site-directory.js';
import { BATCH_BOUNDS, HolderTurns, type TurnBounds } from '../http/holder-turns.js';
import { BodyBudget, ClientAddresses } from '../http/shares.js';
import {
  createEdgeServer,
  listen,
  SERVER_LIMITS,
  type ServerLimits,
  type TurnLimits,
  Turns,
} from '../door/server.js';
import type { Exchange, Params, Route, RouteRules } from '../http/exchange.js';
import { OutstandingAnswers, type OutstandingLimits } from '../http/answers.js';
import { answer, refuse } from '../http/respond.js';
import { RouteCatalogue } from '../door/routes.js';
import { HourlyLimiter } from '../limits/hourly-limiter.js';
import { VisitorShares } from '../limits/visitor-shares.js';
import type { Consumption } from '../storage/limit.store.js';
import { countInMemory } from './count-in-memory.js';

export const ORIGIN = 'https://shop.example';
export const DASHBOARD = 'https://dashboard.example';
export const ADMIN_SECRET = 'the-secret-of-the-platform-operators';

/** What a controller declares; `answer` is the harness' own where there is none. */
export type HarnessRoute = Omit<RouteRules, 'demand'> & Partial<Pick<Route, 'answer'>>;

/** A page of nothing, for suites of connections. */
export const SMALL_ROUTE = {
  method: 'GET',
  path: '/small',
  credential: 'public',
  knownQuery: new Map<string, never>(),
  body: undefined,
} as const;

export interface EdgeHarnessOptions {
  readonly routes: readonly HarnessRoute[];
  /** The controller of the routes that have none, for admitted requests. */
  readonly controller?: (exchange: Exchange) => void | Promise<void>;
  readonly outstanding?: OutstandingLimits;
  readonly turns?: TurnLimits;
  /** In addition to the usual ones. */
  readonly server?: Partial<ServerLimits>;
  /** How long a body may take to arrive. Default: as in the product. */
  readonly bodyTimeoutMs?: number;
  /** Default: as in the product. */
  readonly turnBounds?: TurnBounds;
  /** Of batches; the same. */
  readonly batchBounds?: TurnBounds;
  /** Whether the plainest requests pass Node's reader by. Default: yes, as in the product. */
  readonly hasLane?: boolean;
  /** Whether the platform's own routes have a port of their own. Default: no. */
  readonly hasAdminPort?: boolean;
}

/** The edge with the whole admission, over parts that need no other process. It answers admitted requests itself. */
export class EdgeHarness {
  readonly siteId = randomUUID();
  readonly workspaceId = randomUUID();
  readonly outstanding: OutstandingAnswers;
  readonly limitId = randomUUID();
  /** Counted requests, by subject. */
  readonly consumed = new Map<string, number>();
  /** Paths of admitted requests, in order. */
  readonly admitted: string[] = [];
  /** What their routes' parameters were. */
  readonly params: Params[] = [];
  /** The number of wrong secrets of each line of the log. */
  readonly wrongSecrets: number[] = [];
  /** Number of bodies whose reading has begun. */
  bodiesBegun = 0;
  isServing = true;
  perHour = 1_000;
  private readonly keys = new KeyDirectory();
  private readonly sites = new SiteDirectory();
  readonly server: Server;
  private readonly adminServer: Server | undefined;
  private readonly parts: EdgeParts;
  private readonly turns: TurnLimits | undefined;
  private readonly hasLane: boolean;
  private edge: Edge | undefined;

  constructor(options: EdgeHarnessOptions) {
    const { routes, controller = answerNothing, outstanding, turns, server } = options;
    const addresses = new ClientAddresses([]);
    this.outstanding = new OutstandingAnswers(addresses, outstanding);
    this.putSite();
    const admit: Route['answer'] = (exchange, params) => {
      this.admitted.push(exchange.path ?? '');
      this.params.push(params);
      return controller(exchange);
    };
    this.parts = {
      routes: catalogueOf(routes, admit),
      ...this.admissionWith(addresses, options),
      outstanding: this.outstanding,
      dashboardOrigins: new Set([DASHBOARD]),
      onAnswered: () => undefined,
      onRefused: () => undefined,
      onError: (_error, exchange) => refuse(exchange, 'internal-error'),
    };
    const makeServer = (): Server => createEdgeServer({ ...SERVER_LIMITS, ...server });
    this.server = makeServer();
    this.adminServer = options.hasAdminPort === true ? makeServer() : undefined;
    this.turns = turns;
    this.hasLane = options.hasLane ?? true;
  }

  /** @returns its origin */
  async open(): Promise<string> {
    const { adminServer } = this;
    if (adminServer !== undefined) await listen(adminServer, 0, '127.0.0.1');
    const adminPort = adminServer === undefined ? undefined : portOf(adminServer);
    const edge = new Edge({ ...this.parts, adminPort });
    this.edge = edge;
    const turns = new Turns(edge.handle, this.turns);
    for (const one of this.servers) one.on('request', turns.take);
    if (this.hasLane) openLane(this.server, edge.handle, turns.room);
    await listen(this.server, 0, '127.0.0.1');
    return `http://127.0.0.1:${portOf(this.server)}`;
  }

  /** The origin of the platform's own routes. */
  get adminOrigin(): string {
    return `http://127.0.0.1:${portOf(this.adminServer ?? this.server)}`;
  }

  /** Each answer closes its connection from now on. */
  beginToDrain(): void {
    this.edge?.drain();
  }

  async close(): Promise<void> {
    for (const one of this.servers) one.closeAllConnections();
    await Promise.all(this.servers.map((one) => new Promise((resolve) => one.close(resolve))));
  }

  private get servers(): readonly Server[] {
    return [this.server, ...(this.adminServer === undefined ? [] : [this.adminServer])];
  }

  apiKey(scopes: readonly Scope[]): string {
    const { key, prefix, hash } = mintApiKey(randomBytes(API_KEY_RANDOM_BYTES));
    this.keys.put({
      keyId: randomUUID(),
      siteId: this.siteId,
      hash,
      prefix,
      scopes,
      expiresAtMs: Infinity,
      isRevoked: false,
      limitId: this.limitId,
      perHour: this.perHour,
      incarnation: 1,
      version: 1,
    });
    return key;
  }

  private putSite(): void {
    this.sites.put({
      siteId: this.siteId,
      workspaceId: this.workspaceId,
      incarnation: 1,
      version: 1,
      isSuspended: false,
      allowedOrigins: new Set([ORIGIN]),
      partner: { providers: [], touch_limit: 20, attribution_model: 'linear', lookback_days: null },
      publisherMode: 'off',
      timeZone: 'UTC',
      runtimeLimit: { subject: `site:${this.siteId}`, perHour: this.perHour },
    });
  }

  private admissionWith(
    addresses: ClientAddresses,
    { bodyTimeoutMs, turnBounds, batchBounds = BATCH_BOUNDS }: EdgeHarnessOptions,
  ): Omit<AdmissionParts, 'routes' | 'dashboardOrigins'> {
    const budget = (): BodyBudget => new BodyBudget(1024 * 1024, 256 * 1024);
    const presence = new Presence(() => performance.now());
    return {
      authenticator: new Authenticator({
        sites: this.sites,
        keys: this.keys,
        keyUses: { note: () => undefined },
        members: new MemberDirectory(),
        runtimeTokens: new RuntimeTokens([{ kid: 'a', secret: randomBytes(32) }], Date.now),
        idTokens: { verify: (token) => Promise.resolve(succeed(userOf(token))) },
        nowMs: Date.now,
      }),
      adminSecret: new AdminSecret({
        secret: ADMIN_SECRET,
        addresses,
        monotonicMs: () => performance.now(),
        onWrong: (_address, attempts) => void this.wrongSecrets.push(attempts),
      }),
      limiter: this.limiter(),
      visitors: new VisitorShares(
        (request) => addresses.of(request),
        () => performance.now(),
      ),
      bodies: new CountingBodyReader(
        { callers: budget(), pages: budget() },
        addresses,
        presence,
        () => {
          this.bodiesBegun += 1;
        },
        bodyTimeoutMs,
      ),
      turns: new HolderTurns(() => performance.now(), presence, turnBounds),
      batchTurns: new HolderTurns(() => performance.now(), presence, batchBounds),
      members: new MemberDirectory(),
      isOriginListed: (origin) => this.sites.lists(origin),
      asker: { isAccepting: () => this.isServing },
    };
  }

  /** Counts like Postgres, in memory. */
  private limiter(): HourlyLimiter {
    const consume = (consumption: Consumption) => {
      const { subject } = consumption;
      const { used, verdict } = countInMemory(this.consumed.get(subject) ?? 0, consumption);
      this.consumed.set(subject, used);
      return verdict;
    };
    return new HourlyLimiter({
      counters: {
        consume: (all) => Promise.resolve(all.map(consume)),
        usageOf: () => Promise.resolve({ used: this.consumed, hourEndsAtSeconds: 3_600 }),
      },
      areEventsBeside: false,
      monotonicMs: () => performance.now(),
      onError: () => undefined,
    });
  }
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

export function catalogueOf(routes: readonly HarnessRoute[], answer: Route['answer']): RouteCatalogue {
  return new RouteCatalogue(routes.map((one) => ({ answer, demand: demandOf(one.credential), ...one })));
}

function userOf(token: string): User {
  return { subject: token, email: null, tokenExpiresAtMs: Infinity };
}

function answerNothing(exchange: Exchange): void {
  exchange.takeBody();
  answer(exchange, 200, '{}');
}

class CountingBodyReader extends BodyReader {
  constructor(
    budgets: ConstructorParameters<typeof BodyReader>[0],
    addresses: ClientAddresses,
    presence: Presence,
    private readonly onBegun: () => void,
    timeoutMs?: number,
  ) {
    super(budgets, addresses, new MemberDirectory(), presence, timeoutMs);
  }

  override read(...parameters: Parameters<BodyReader['read']>): ReturnType<BodyReader['read']> {
    this.onBegun();
    return super.read(...parameters);
  }
}
