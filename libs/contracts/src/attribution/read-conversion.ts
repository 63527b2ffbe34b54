import {
  fail,
  type FieldErrors,
  formatInstantPrecisely,
  parseInstant,
  type Result,
  succeed,
  unreachable,
} from '@truetally/kernel';
import {
  BODY_PATH,
  compileValidator,
  toFieldErrors,
  type Validator,
  type Violation,
} from '../validation/compile-validator.js';
import { oneOf } from '../validation/rules.js';
import { isJsonObject, shapeOf } from '../validation/shape.js';
import { adjustmentIn, cancellationIn } from './adjustment-rules.js';
import { AmountReader } from './amount-reader.js';
import { AdjustmentBody, CancellationBody, CONVERSION_LIMITS, PurchaseBody } from './conversion-body.js';
import { type ConversionCommand, type ConversionEventType } from './conversion-command.js';
import { purchaseIn } from './purchase-rules.js';

type Members = Readonly<Record<string, unknown>>;

/** The body's one envelope, by its `event_type`. */
const ENVELOPES = { purchase: 'conversion', adjustment: 'adjustment', cancellation: 'cancellation' } as const;
type Envelope = (typeof ENVELOPES)[ConversionEventType];

const EVENT_TYPES: readonly ConversionEventType[] = ['purchase', 'adjustment', 'cancellation'];
const EVENT_TYPE_OF: Readonly<Record<Envelope, ConversionEventType>> = {
  conversion: 'purchase',
  adjustment: 'adjustment',
  cancellation: 'cancellation',
};

const VALIDATORS: Readonly<Record<ConversionEventType, Validator>> = {
  purchase: compileValidator(PurchaseBody),
  adjustment: compileValidator(AdjustmentBody),
  cancellation: compileValidator(CancellationBody),
};

/**
 * Every `website_id` in the body's envelopes, in lower case. A request for another site's id is refused
 * first, even when the rest is invalid.
 */
export function websiteIdsOf(body: unknown): readonly string[] {
  return presentEnvelopes(body).flatMap((envelope) => {
    const content = isJsonObject(body) ? body[envelope] : undefined;
    const websiteId = isJsonObject(content) ? content['website_id'] : undefined;
    return typeof websiteId === 'string' ? [websiteId.toLowerCase()] : [];
  });
}

/**
 * Validates the body of `POST /partner-attribution/conversions` on its own (interface page, section 6).
 * Returns every broken rule of shape and money, or the command. Does not check that the caller owns
 * `website_id`.
 * @param body as `readJson` returned it
 */
export function readConversion(body: unknown, nowMs: number): Result<ConversionCommand, FieldErrors> {
  if (!isJsonObject(body)) return fail({ [BODY_PATH]: [`must be an object; got ${shapeOf(body)}`] });
  const { violations, eventType } = chooseEnvelope(body);
  if (eventType === undefined) return fail(toFieldErrors(violations));
  const envelope = ENVELOPES[eventType];
  const content = body[envelope];
  const members = isJsonObject(content) ? content : {};
  if (!isJsonObject(content)) {
    violations.push({ path: envelope, message: `must be an object; got ${shapeOf(content)}` });
  }
  const amounts = new AmountReader(members['currency']);
  const command = readCommand(eventType, members, amounts);
  const inside = [...VALIDATORS[eventType](members), ...checkTime(members, nowMs), ...amounts.violations];
  for (const { path, message } of inside) violations.push({ path: `${envelope}.${path}`, message });
  if (violations.length > 0) return fail(toFieldErrors(violations));
  if (command === undefined) throw new Error('A conversion that breaks no rule could not be read.');
  return succeed(command);
}

const checkEventType = oneOf(EVENT_TYPES);

interface Choice {
  readonly violations: Violation[];
  /** The event type whose envelope is read; undefined when it is unknown. */
  readonly eventType: ConversionEventType | undefined;
}

/**
 * Exactly one envelope, matching `event_type`. Without a known type, a single envelope is still validated.
 */
function chooseEnvelope(body: Members): Choice {
  const present = presentEnvelopes(body);
  const eventType = EVENT_TYPES.find((type) => type === body['event_type']);
  if (eventType !== undefined) {
    const violations = present
      .filter((envelope) => envelope !== ENVELOPES[eventType])
      .map((path) => ({ path, message: `must be absent when event_type is ${eventType}` }));
    return { violations, eventType };
  }
  const violations = [{ path: 'event_type', message: checkEventType(body['event_type']) ?? '' }];
  const [only, ...others] = present;
  if (only !== undefined && others.length === 0) return { violations, eventType: EVENT_TYPE_OF[only] };
  const one = 'must hold exactly one of conversion, adjustment and cancellation';
  violations.push({ path: BODY_PATH, message: `${one}; got ${present.length}` });
  return { violations, eventType: undefined };
}

function presentEnvelopes(body: unknown): readonly Envelope[] {
  if (!isJsonObject(body)) return [];
  return EVENT_TYPES.map((type) => ENVELOPES[type]).filter((name) => (body[name] ?? undefined) !== undefined);
}

const TOO_FAR_AHEAD = 'must not be more than 24 hours ahead of the server';

function checkTime(members: Members, nowMs: number): readonly Violation[] {
  const instant = instantOf(members);
  if (instant === undefined || instant.epochMs - nowMs <= CONVERSION_LIMITS.occurredAheadMs) return [];
  return [{ path: 'occurred_at', message: TOO_FAR_AHEAD }];
}

function instantOf(members: Members) {
  const occurredAt = members['occurred_at'];
  return typeof occurredAt === 'string' ? parseInstant(occurredAt) : undefined;
}

/** Reads all readable fields, so that every rule is checked; undefined when something is missing. */
function readCommand(
  eventType: ConversionEventType,
  members: Members,
  amounts: AmountReader,
): ConversionCommand | undefined {
  const order = readOrder(members);
  switch (eventType) {
    case 'purchase': {
      const content = purchaseIn(members, amounts);
      return order && content && { eventType, ...order, ...content };
    }
    case 'adjustment': {
      const content = adjustmentIn(members, amounts);
      return order && content && { eventType, ...order, ...content };
    }
    case 'cancellation': {
      const content = cancellationIn(members, amounts);
      return order && content && { eventType, ...order, ...content };
    }
    default:
      return unreachable(eventType);
  }
}

function readOrder(members: Members) {
  const { idempotency_key: idempotencyKey, order_id: orderId, currency } = members;
  const instant = instantOf(members);
  if (typeof idempotencyKey !== 'string' || typeof orderId !== 'string') return undefined;
  if (typeof currency !== 'string' || instant === undefined) return undefined;
  return { idempotencyKey, orderId, currency, occurredAt: formatInstantPrecisely(instant) };
}
