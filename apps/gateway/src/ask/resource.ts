import { Injectable } from '@nestjs/common';
import type {
  Actor,
  AwaitedVersions,
  CommandAnswer,
  Page,
  ResourceCommand,
  ResourceQuery,
} from '@truetally/contracts/resource';
import type { Operation } from '@truetally/contracts/topics';
import { type Failure, type FailureCode, fingerprintHex, type Reply, UUID } from '@truetally/kernel';
import type { AnyCaller } from '../credentials/caller.js';
import { Asker } from './ask.js';
import { refusalOf } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import { answer, refuse, refuseAs } from '../http/respond.js';
import { type Filters, readPageQuery } from '../http/page-query.js';
import { type Conditions, readConditions } from '../http/request-headers.js';

/** A resource as the client reads it under `data`. */
export type JsonObject = Readonly<Record<string, unknown>>;

type Params = Readonly<Record<string, string>>;

/** The target of a route that reads one resource: what it asks, and the ids in its path. */
export interface Target<Data extends object = object> {
  readonly to: Operation<ResourceQuery, Data>;
  readonly params?: Params;
  /** What names the resource besides: ids that are not UUIDs. */
  readonly filters?: Params;
  /** Converts the service's resource to the client's. */
  readonly present?: (resource: Data) => object;
}

/** The same of a list. */
export interface ListTarget<Item extends object = object> extends Omit<Target<Item>, 'to'> {
  readonly to: Operation<ResourceQuery, Page<Item>>;
}

/** A body converted for the service, or a refusal. */
export type Prepared =
  | {
      readonly body: unknown;
      /** Replaces the client's body in the idempotency fingerprint, where the body must not be in it. */
      readonly fingerprinted?: unknown;
      /** Who asks, of all who share the credential of a page: part of an idempotency key's scope. */
      readonly visitor?: string;
    }
  | { readonly refused: true };

export interface CommandTarget<Data extends object = object> extends Omit<Target<Data>, 'to'> {
  readonly to: Operation<ResourceCommand, CommandAnswer<Data>>;
  /** Converts the client's body to the service's: a minted key, a sealed secret. */
  readonly prepare?: (body: unknown, exchange: Exchange, caller: AnyCaller) => Prepared | Promise<Prepared>;
  /** What the service must know before it decides, by the client's body. */
  readonly awaits?: (body: unknown) => AwaitedVersions;
  /** Data of this answer only, such as a new key's text. Omitted in a replay. */
  readonly oneTime?: (data: object) => JsonObject;
  /** Whether this gateway has received the change, so that the caller's next request can rely on it. */
  readonly isKnown?: (data: Data) => boolean;
  /** For commands that take longer than others. */
  readonly answerTimeoutMs?: number;
}

/** A received request whose body is not JSON. */
export interface ReceivedOtherwise {
  readonly caller: AnyCaller;
  /** The body for the service. */
  readonly body: unknown;
  /** Stands for the client's body: equal in a repetition. */
  readonly fingerprinted: string;
}

const CREATED = 201;
const ACCEPTED = 202;
const OK = 200;
export const REPLAYED_HEADER = ['Idempotent-Replayed', 'true'] as const;
/** A gateway that starves still answers with a change that it knows, well within the patience of any client. */
const KNOWN_TIMEOUT_MS = 4_000;
const KNOWN_CHECK_MS = 5;
/** A single resource is found by its ids: list bounds do not matter. */
const NO_PAGE = { filters: {}, limit: 1, cursor: null };

/**
 * The path of every management request: admission, conditions, ask, answer. A resource's routes differ only
 * in their operations and rules (docs/decisions/management.md).
 */
@Injectable()
export class ResourceApi {
  constructor(private readonly asker: Asker) {}

  create<Data extends object>(exchange: Exchange, target: CommandTarget<Data>): Promise<void> {
    return this.command(exchange, target, CREATED);
  }

  /** The same for a body that the caller has received itself. */
  async createReceived<Data extends object>(
    exchange: Exchange,
    target: CommandTarget<Data>,
    received: ReceivedOtherwise,
  ): Promise<void> {
    await this.carryOut(exchange, { target, ...received, status: CREATED });
  }

  /**
   * The same for a request that starts a job: its answer links to the job.
   * @returns its outcome: a refused or replayed request began no job
   */
  acceptReceived<Data extends object>(
    exchange: Exchange,
    target: CommandTarget<Data>,
    received: ReceivedOtherwise,
  ): Promise<CarriedOut> {
    return this.carryOut(exchange, { target, ...received, status: ACCEPTED });
  }

  /** The same for a body of JSON. */
  accept<Data extends object>(exchange: Exchange, target: CommandTarget<Data>): Promise<void> {
    return this.command(exchange, target, ACCEPTED);
  }

  /** A change of an existing resource, or an action: `PATCH`, `PUT`, and `POST` on one of its actions. */
  change<Data extends object>(exchange: Exchange, target: CommandTarget<Data>): Promise<void> {
    return this.command(exchange, target, OK);
  }

  delete<Data extends object>(exchange: Exchange, target: CommandTarget<Data>): Promise<void> {
    return this.act(exchange, target);
  }

  /** An action that is defined by its path: a body is not read. */
  async act<Data extends object>(exchange: Exchange, target: CommandTarget<Data>): Promise<void> {
    await this.carryOut(exchange, { target, caller: exchange.anyCaller(), body: null, status: OK });
  }

  async read<Data extends object>(exchange: Exchange, target: Target<Data>): Promise<void> {
    const caller = exchange.anyCaller();
    const params = idsOf(target);
    if (params === undefined) return refuse(exchange, 'not-found');
    const { to, filters = NO_PAGE.filters, present = unchanged } = target;
    const asked = { ...askedBy(caller), params, ...NO_PAGE, filters };
    const found = await this.asker.find(exchange, to, asked);
    if (found !== undefined) answer(exchange, OK, JSON.stringify(present(found)), versionHeader(found));
  }

  async list<Item extends object>(
    exchange: Exchange,
    target: ListTarget<Item>,
    filters: Filters = {},
  ): Promise<void> {
    const caller = exchange.anyCaller();
    const page = readPageQuery(exchange.query, filters);
    if (!page.ok) return refuse(exchange, 'broken-rules', page.error);
    const params = idsOf(target);
    if (params === undefined) return refuse(exchange, 'not-found');
    const { to, present = unchanged } = target;
    const found = await this.asker.find(exchange, to, { ...askedBy(caller), params, ...page.value });
    if (found === undefined) return;
    answer(exchange, OK, JSON.stringify({ ...found, items: found.items.map(present) }));
  }

  /** A query whose answer the caller writes itself. */
  query<Data extends object>(
    exchange: Exchange,
    to: Operation<ResourceQuery, Data>,
    page: Pick<ResourceQuery, 'cursor' | 'filters' | 'limit'>,
  ): Promise<Reply<Data>> {
    return this.asker.ask(exchange, to, { ...askedBy(exchange.anyCaller()), params: {}, ...page });
  }

  private async command<Data extends object>(
    exchange: Exchange,
    target: CommandTarget<Data>,
    status: number,
  ): Promise<void> {
    const caller = exchange.anyCaller();
    await this.carryOut(exchange, { target, caller, body: exchange.takeBody(), status });
  }

  private async carryOut<Data extends object>(
    exchange: Exchange,
    { target, caller, body, fingerprinted, status }: Asked<Data>,
  ): Promise<CarriedOut> {
    const conditions = readConditions(exchange.incoming);
    if (!conditions.ok) {
      refuse(exchange, 'broken-rules', conditions.error);
      return 'refused';
    }
    const params = idsOf(target);
    if (params === undefined) {
      refuse(exchange, 'not-found');
      return 'refused';
    }
    const prepared = (await target.prepare?.(body, exchange, caller)) ?? { body };
    if ('refused' in prepared) return 'refused';
    const command: ResourceCommand = {
      ...askedBy(caller),
      params,
      version: conditions.value.version,
      idempotency: claimOf(
        exchange,
        conditions.value,
        prepared.fingerprinted ?? fingerprinted ?? body,
        prepared.visitor,
      ),
      body: prepared.body,
      ...(target.awaits === undefined ? {} : { awaits: target.awaits(body) }),
    };
    const outcome = await this.asker.ask(exchange, target.to, command, target);
    await this.settle(exchange, target, outcome, status);
    if ('ok' in outcome) return outcome.ok.replayed ? 'replayed' : 'done';
    return UNKNOWN_OUTCOMES.has(outcome.error.code) ? 'unknown' : 'refused';
  }

  private async settle<Data extends object>(
    exchange: Exchange,
    { oneTime, isKnown, present = unchanged }: CommandTarget<Data>,
    outcome: Reply<CommandAnswer<Data>>,
    status: number,
  ): Promise<void> {
    if ('error' in outcome) return refuseFailure(exchange, outcome.error);
    const { data: known, replayed } = outcome.ok;
    const data = present(known);
    if (isKnown !== undefined) await untilKnown(() => isKnown(known));
    const whole = replayed || oneTime === undefined ? data : { ...data, ...oneTime(data) };
    const headers = [...versionHeader(data), ...(replayed ? REPLAYED_HEADER : [])];
    answer(exchange, status, JSON.stringify(whole), headers);
  }
}

/** After a failure the command may still have been executed: `unknown`. */
export type CarriedOut = 'done' | 'refused' | 'replayed' | 'unknown';

const UNKNOWN_OUTCOMES: ReadonlySet<string> = new Set<FailureCode>(['INTERNAL_ERROR', 'UNAVAILABLE']);

interface Asked<Data extends object> {
  readonly target: CommandTarget<Data>;
  readonly caller: AnyCaller;
  readonly body: unknown;
  readonly fingerprinted?: string;
  /** Of the answer to a success. */
  readonly status: number;
}

function unchanged<Data>(resource: Data): Data {
  return resource;
}

function askedBy(caller: AnyCaller): Pick<ResourceCommand, 'actor' | 'workspace_id'> {
  return { workspace_id: caller.workspaceId, actor: actorOf(caller) };
}

function actorOf(caller: AnyCaller): Actor | null {
  switch (caller.kind) {
    case 'platform':
      return null;
    case 'site':
      return { sub: null, email: null, key_id: caller.keyId, key_prefix: caller.keyPrefix };
    case 'member':
    case 'user':
      return { sub: caller.subject, email: caller.email, key_id: null, key_prefix: null };
  }
}

/** The path's ids in lower case; undefined if one is invalid. */
function idsOf({ params = {} }: { readonly params?: Params }): Params | undefined {
  const ids = Object.entries(params).map(([name, id]) => [name, id.toLowerCase()] as const);
  return ids.every(([, id]) => UUID.test(id)) ? Object.fromEntries(ids) : undefined;
}

/**
 * The whole path with lower-case ids is the route: the same key for another site's keys is another request.
 */
export function claimOf(
  { request }: Exchange,
  { idempotencyKey }: Pick<Conditions, 'idempotencyKey'>,
  body: unknown,
  visitor?: string,
): ResourceCommand['idempotency'] {
  if (idempotencyKey === null || request.method !== 'POST') return null;
  const [path = ''] = (request.url ?? '').split('?');
  // A body that may be absent means one without fields.
  const fingerprint = fingerprintHex([JSON.stringify(sorted(body === undefined ? {} : body))]);
  const route = ['POST', path.toLowerCase(), ...(visitor === undefined ? [] : [visitor])].join(' ');
  return { route, key: idempotencyKey, fingerprint };
}

/** Members sorted by name: the order of a client's library does not make another request. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, sorted(member)] as const);
  return Object.fromEntries(members.sort(([left], [right]) => (left < right ? -1 : 1)));
}

function versionHeader(resource: object): readonly string[] {
  const version = 'version' in resource ? resource.version : undefined;
  return typeof version === 'number' ? ['ETag', `"${version}"`] : [];
}

function refuseFailure(exchange: Exchange, failure: Failure): void {
  refuseAs(exchange, refusalOf(failure), failure.details);
}

/** The change is committed; after the timeout it is answered anyway, and every gateway receives it soon. */
async function untilKnown(isKnown: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + KNOWN_TIMEOUT_MS;
  while (!isKnown() && performance.now() < deadlineMs) {
    await new Promise((resolve) => setTimeout(resolve, KNOWN_CHECK_MS));
  }
}
