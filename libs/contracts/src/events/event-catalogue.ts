import { finiteNumber, httpUrl, identifier, nonEmptyText, type Rule } from '../validation/rules.js';
import { type Violation } from '../validation/compile-validator.js';

/** Default length limit of required properties (interface page, section 4). */
const ID_CHARACTERS = 256;
const SENTENCE_CHARACTERS = 4096;
const URL_CHARACTERS = 2048;

const id = identifier({ max: ID_CHARACTERS });
const sentence = nonEmptyText({ max: SENTENCE_CHARACTERS });
const url = httpUrl({ max: URL_CHARACTERS });
const amount = finiteNumber({ min: 0 });

type Rules = Readonly<Record<string, Rule>>;

/** At least one of these names must be present; every one that is present must obey the rule. */
interface Alternatives {
  readonly names: readonly [string, ...string[]];
  readonly rule: Rule;
}

interface EventRule {
  readonly required: Rules;
  readonly alternatives?: readonly Alternatives[];
  readonly optional?: Rules;
  /** Properties that identify an event within its type, in the order of the deduplication key. */
  readonly identifying: readonly string[];
  /** When set, only these properties are stored. */
  readonly stored?: readonly string[];
}

function requires(required: Rules): EventRule {
  return { required, identifying: Object.keys(required) };
}

const PRODUCT = requires({ product_id: id });
const OVERLAY = requires({ overlay_id: id, campaign_id: id });
const QUIZ = { overlay_id: id, campaign_id: id, quiz_id: id };

/** Rules for `properties` by event type (interface page, section 4). */
const CATALOGUE = {
  page_view: requires({}),
  product_view: PRODUCT,
  add_to_cart: PRODUCT,
  remove_from_cart: PRODUCT,
  purchase: {
    required: {},
    alternatives: [
      { names: ['transaction_id', 'order_id'], rule: id },
      { names: ['total_amount', 'total', 'revenue'], rule: amount },
    ],
    identifying: ['order_id', 'transaction_id'],
  },
  search: requires({ query: sentence }),
  custom: requires({ event_name: id }),
  chatbot_message: requires({ message: sentence }),
  recommendation_impression: requires({ recommendation_id: id, campaign_id: id }),
  recommendation_click: requires({ recommendation_id: id, campaign_id: id, product_id: id }),
  overlay_impression: OVERLAY,
  overlay_click: OVERLAY,
  overlay_dismiss: OVERLAY,
  overlay_submit: OVERLAY,
  quiz_start: requires(QUIZ),
  quiz_answer: requires({ ...QUIZ, question_id: id, answer_id: id }),
  quiz_complete: requires({ ...QUIZ, result_id: id }),
  partner_link_click: {
    ...requires({ provider: id, click_reference: id, destination_url: url }),
    optional: { partner_id: id, campaign_id: id, content_id: id, placement_id: id, creative_id: id },
    // Section 8: the analytics facts of a click hold only these. The click reference is stored separately.
    stored: [
      'provider',
      'destination_url',
      'partner_id',
      'campaign_id',
      'content_id',
      'placement_id',
      'creative_id',
    ],
  },
} as const satisfies Record<string, EventRule>;

/** A type of event in the catalogue. */
export type EventType = keyof typeof CATALOGUE;

const RULES: Readonly<Record<EventType, EventRule>> = CATALOGUE;

/** Every type of event, in the order of the catalogue. */
export const EVENT_TYPES: readonly EventType[] = Object.keys(CATALOGUE).filter(isEventType);

/** Whether a value is a type of event in the catalogue. */
export function isEventType(value: unknown): value is EventType {
  return typeof value === 'string' && Object.hasOwn(CATALOGUE, value);
}

type Properties = Readonly<Record<string, unknown>>;

/** Every rule of the type that `properties` breaks, with paths below `properties.`. Null counts as absent. */
export function checkProperties(type: EventType, properties: Properties): readonly Violation[] {
  const { required, alternatives, optional } = RULES[type];
  const violations: Violation[] = [];
  for (const [name, rule] of Object.entries(required)) check(name, rule, properties, violations);
  for (const choice of alternatives ?? []) checkAlternatives(choice, properties, violations);
  for (const [name, rule] of Object.entries(optional ?? {})) {
    if (isGiven(properties[name])) check(name, rule, properties, violations);
  }
  return violations;
}

/** Values of the identifying properties in catalogue order, null for one that is absent. */
export function identifyingValues(type: EventType, properties: Properties): readonly (string | null)[] {
  return RULES[type].identifying.map((name) => {
    const value = properties[name];
    return typeof value === 'string' ? value : null;
  });
}

/**
 * The order that a purchase reports: `order_id` if present, otherwise `transaction_id`. The field's name
 * keeps the two apart.
 */
export function orderOf(properties: Properties): readonly [name: string, id: string] | undefined {
  for (const name of RULES.purchase.identifying) {
    const value = properties[name];
    if (typeof value === 'string') return [name, value];
  }
  return undefined;
}

/** The storable part of `properties`; the same object when the type stores all of them. */
export function storedProperties(type: EventType, properties: Properties): Properties {
  const { stored } = RULES[type];
  if (stored === undefined) return properties;
  const kept = stored
    .filter((name) => isGiven(properties[name]))
    .map((name) => [name, properties[name]] as const);
  const copy: Record<string, unknown> = Object.fromEntries(kept);
  if (typeof copy['destination_url'] === 'string') {
    copy['destination_url'] = withoutQuery(copy['destination_url']);
  }
  return copy;
}

function check(name: string, rule: Rule, properties: Properties, violations: Violation[]): void {
  const message = rule(properties[name]);
  if (message !== undefined) violations.push({ path: `properties.${name}`, message });
}

function checkAlternatives(choice: Alternatives, properties: Properties, violations: Violation[]): void {
  const given = choice.names.filter((name) => isGiven(properties[name]));
  for (const name of given) check(name, choice.rule, properties, violations);
  if (given.length > 0) return;
  const message = `one of ${choice.names.join(', ')} is required: ${choice.rule(undefined) ?? ''}`;
  for (const name of choice.names) violations.push({ path: `properties.${name}`, message });
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Scheme, host, port and path of an absolute URL, also without user name and password. */
function withoutQuery(address: string): string {
  const end = address.search(/[?#]/);
  return (end === -1 ? address : address.slice(0, end)).replace(/^(https?:\/\/)[^/\\]*@/i, '$1');
}
