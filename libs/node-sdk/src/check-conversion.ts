import { readConversion } from '@truetally/contracts/attribution';
import { readJson } from '@truetally/kernel';
import type { Conversion } from './types.js';

/** One broken rule. */
export interface ConversionFault {
  /** From the root of what was checked: `conversion.lines.0.subtotal`. */
  readonly path: string;
  /** Names the rule, and for sums the expected and the given amount. */
  readonly message: string;
}

/** The content that tells which envelope a conversion without one belongs into. */
const ENVELOPES = [
  { eventType: 'adjustment', member: 'adjustment', field: 'revenue_delta' },
  { eventType: 'cancellation', member: 'cancellation', field: 'reversed_revenue' },
  { eventType: 'purchase', member: 'conversion', field: '' },
] as const;
/** The service judges how far a clock is ahead: ours may be wrong. */
const ANY_TIME = Number.POSITIVE_INFINITY;

/**
 * Checks a conversion by the rules that the service checks without its ledger: shape, sums, costs, margin (interface
 * page, section 6). Sends nothing.
 * @param conversion an envelope, or what stands inside one; money as decimal strings, or as numbers
 * @returns every broken rule; empty when the service would accept it, unless the order's state forbids it
 */
export function checkConversion(conversion: Conversion): readonly ConversionFault[] {
  const text = textOf(conversion);
  const read = text === undefined ? undefined : readJson(text);
  if (read?.ok !== true) return [{ path: 'body', message: 'must be JSON: money as text, and no cycle' }];
  const result = readConversion(read.value.value, ANY_TIME);
  if (result.ok) return [];
  const strip = isEnvelope(conversion) ? '' : `${memberOf(conversion)}.`;
  return Object.entries(result.error).flatMap(([path, messages]) =>
    messages.map((message) => ({ path: path.startsWith(strip) ? path.slice(strip.length) : path, message })),
  );
}

/** Undefined for what JSON has not: a bigint, a member of itself. */
function textOf(conversion: Conversion): string | undefined {
  try {
    return JSON.stringify(envelopeOf(conversion)) as string | undefined;
  } catch {
    return undefined;
  }
}

/** The body of the request. */
export function envelopeOf(conversion: Conversion): object {
  if (isEnvelope(conversion)) return conversion;
  const member = memberOf(conversion);
  const eventType = ENVELOPES.find((one) => one.member === member)?.eventType;
  return { event_type: eventType, [member]: conversion };
}

function isEnvelope(conversion: object): boolean {
  // Nor is anything else a content: it is judged as it is.
  if (typeof conversion !== 'object' || conversion === null || Array.isArray(conversion)) return true;
  return 'event_type' in conversion || ENVELOPES.some(({ member }) => member in conversion);
}

function memberOf(conversion: object): string {
  return ENVELOPES.find(({ field }) => field === '' || field in conversion)?.member ?? 'conversion';
}
