import type { AttributionSettings, RecordConversion } from '@truetally/contracts/attribution';
import { acceptance, type Failure, failure } from '@truetally/kernel';
import type { AnswerFields } from './answers.js';
import { DEFAULT_SETTINGS } from './attribution-models.js';
import type { KnownRule, KnownTouch } from './commission.js';
import { decideEntry, decideMatch, type DecisionInputs } from './decide-entry.js';
import { type Entry, type Order, orderKey, type RequestPlace } from './order.js';
import { SITE_ERASED } from './site-erased.js';

/** One item of a group: a client's command, or an order whose awaited touches may have arrived. */
export type GroupItem =
  | {
      readonly kind: 'command';
      readonly request: RecordConversion;
      readonly place: RequestPlace;
      /** The same in each copy of a message, wherever it is in the log. */
      readonly correlationId: string;
    }
  | { readonly kind: 'match'; readonly siteId: string; readonly orderId: string };

/** The content of an idempotency key: an entry of this group, or a stored answer. */
export interface KnownKey {
  readonly fingerprint: string;
  /** Of the message that was accepted. */
  readonly correlationId: string;
  readonly accepted: Entry | AnswerFields;
}

/** The state before the group, of everything that it names. */
export interface Known {
  /** By `keyOf`. */
  readonly keys: ReadonlyMap<string, KnownKey>;
  /** By correlation id: earlier answers to these very messages, which a later state of the ledger does not change. */
  readonly refused: ReadonlyMap<string, Failure>;
  /** By `orderKey`. */
  readonly orders: ReadonlyMap<string, Order>;
  /** By `orderKey`: line ids of purchases that are adjusted by line. */
  readonly lineIds: ReadonlyMap<string, ReadonlySet<string>>;
  /** By site. */
  readonly touches: ReadonlyMap<string, ReadonlyMap<string, KnownTouch>>;
  readonly rules: ReadonlyMap<string, readonly KnownRule[]>;
  /** By site; defaults apply to missing sites. */
  readonly settings: ReadonlyMap<string, AttributionSettings>;
  /** Erased sites: their ledger has ended. */
  readonly erased: ReadonlySet<string>;
}

export type Outcome =
  | { readonly kind: 'accepted'; readonly entry: Entry }
  /** `isFirst`: a redelivery of the accepted message itself; its answer is the first one. */
  | { readonly kind: 'replayed'; readonly accepted: Entry | AnswerFields; readonly isFirst: boolean }
  | { readonly kind: 'refused'; readonly failure: Failure }
  | { readonly kind: 'idle' };

/** Decides a group in order; each item sees the effects of earlier ones. One outcome per item. */
export function decideGroup(items: readonly GroupItem[], known: Known): readonly Outcome[] {
  const keys = new Map(known.keys);
  const refused = new Map(known.refused);
  const orders = new Map(known.orders);
  const lineIds = new Map(known.lineIds);
  return items.map((item) => {
    const siteId = item.kind === 'command' ? item.request.siteId : item.siteId;
    const orderId = item.kind === 'command' ? item.request.command.orderId : item.orderId;
    if (known.erased.has(siteId)) return erasedOutcome(item);
    const name = orderKey(siteId, orderId);
    const inputs: DecisionInputs = {
      touches: known.touches.get(siteId) ?? new Map(),
      rules: known.rules.get(siteId) ?? [],
      settings: known.settings.get(siteId) ?? DEFAULT_SETTINGS,
      lineIds: lineIds.get(name) ?? new Set(),
    };
    const outcome =
      item.kind === 'match'
        ? matchOutcome(orders.get(name), inputs)
        : (refusedOutcome(refused.get(item.correlationId)) ??
          commandOutcome(item, keys, orders.get(name), inputs));
    if (outcome.kind === 'refused' && item.kind === 'command')
      refused.set(item.correlationId, outcome.failure);
    if (outcome.kind === 'accepted') {
      remember(outcome.entry, keys, orders);
      if (item.kind === 'command') rememberLines(item.request, name, lineIds);
    }
    return outcome;
  });
}

/** Key of an idempotency key over all sites. */
export function keyOf(siteId: string, idempotencyKey: string): string {
  return `${siteId}:${idempotencyKey}`;
}

/** Without its touches an order's commission would change with the next entry. */
function erasedOutcome(item: GroupItem): Outcome {
  return item.kind === 'match' ? { kind: 'idle' } : { kind: 'refused', failure: SITE_ERASED };
}

function matchOutcome(order: Order | undefined, inputs: DecisionInputs): Outcome {
  const entry = order === undefined ? undefined : decideMatch(order, inputs);
  return entry === undefined ? { kind: 'idle' } : { kind: 'accepted', entry };
}

function refusedOutcome(first: Failure | undefined): Outcome | undefined {
  return first === undefined ? undefined : { kind: 'refused', failure: first };
}

function commandOutcome(
  { request, place, correlationId }: Extract<GroupItem, { kind: 'command' }>,
  keys: ReadonlyMap<string, KnownKey>,
  order: Order | undefined,
  inputs: DecisionInputs,
): Outcome {
  const { siteId, fingerprint, command } = request;
  const first = keys.get(keyOf(siteId, command.idempotencyKey));
  const verdict = acceptance(first?.fingerprint, fingerprint);
  if (first !== undefined && verdict === 'same') {
    return { kind: 'replayed', accepted: first.accepted, isFirst: first.correlationId === correlationId };
  }
  if (verdict === 'changed') {
    const path = `${ENVELOPES[command.eventType]}.idempotency_key`;
    return conflict({ [path]: ['was used for another payload'] });
  }
  const asked = { idempotencyKey: command.idempotencyKey, fingerprint, place, correlationId };
  const decided = decideEntry({ siteId, command, asked }, order, inputs);
  return decided.ok ? { kind: 'accepted', entry: decided.value } : conflict(decided.error);
}

const ENVELOPES = { purchase: 'conversion', adjustment: 'adjustment', cancellation: 'cancellation' } as const;

function conflict(details: Failure['details']): { readonly kind: 'refused'; readonly failure: Failure } {
  return {
    kind: 'refused',
    failure: failure('CONFLICT', 'The request conflicts with the ledger', details).error,
  };
}

function remember(entry: Entry, keys: Map<string, KnownKey>, orders: Map<string, Order>): void {
  const { asked, order } = entry;
  orders.set(orderKey(order.siteId, order.orderId), order);
  if (asked === null) return;
  keys.set(keyOf(order.siteId, asked.idempotencyKey), { ...asked, accepted: entry });
}

function rememberLines(
  { command }: RecordConversion,
  name: string,
  lineIds: Map<string, ReadonlySet<string>>,
): void {
  if (command.eventType === 'purchase') lineIds.set(name, new Set(command.lines.map(({ lineId }) => lineId)));
}
