import {
  Matching,
  NestedList,
  NonEmptyText,
  OneOf,
  Text,
  Timestamp,
  WholeNumber,
} from '../validation/decorators.js';
import { COUNT } from '../validation/forms.js';

/** What an operator can do with a fact that Kafka refused. */
export const SET_ASIDE_ACTIONS = ['replay', 'discard'] as const;
/** One of `SET_ASIDE_ACTIONS`. */
export type SetAsideAction = (typeof SET_ASIDE_ACTIONS)[number];

/**
 * `waiting`, or `superseded` when a newer state of its key was published or set aside: then it can only be
 * discarded.
 */
const SET_ASIDE_STATES = ['waiting', 'superseded', 'replayed', 'discarded'] as const;
export type SetAsideState = (typeof SET_ASIDE_STATES)[number];

const NAME = { max: 300 };
const KEY = { max: 1_000 };
const REASON = { max: 2_000 };
/** Up to 18 digits always fit a `bigint`; 19 do not. */
const FACT_ID = /^\d{1,18}$/;
const FACT_ID_FORM = 'a whole number as text';
/** One more than a page, to know whether it is the last. */
const FACTS = { min: 1, max: 201 };

/**
 * A fact that Kafka refused, as the platform's operators see it (interface page, section 11), without its
 * content.
 */
export class SetAsideFactResource {
  /** The service whose outbox it left. */
  @NonEmptyText(NAME) readonly service!: string;
  /** Its place in that outbox: a whole number as text. */
  @Matching(FACT_ID, FACT_ID_FORM) readonly id!: string;
  /** Without the installation's prefix. */
  @NonEmptyText(NAME) readonly topic!: string;
  @Text(KEY) readonly key!: string;
  /** Size of its value. */
  @WholeNumber(COUNT) readonly bytes!: number;
  /** Kafka's error. */
  @NonEmptyText(REASON) readonly reason!: string;
  /** When it was set aside: ISO 8601 UTC with milliseconds. */
  @Timestamp() readonly at!: string;
  @OneOf(SET_ASIDE_STATES) readonly state!: SetAsideState;
}

/** `<service>.list-set-aside-facts`: oldest first. */
export class ListSetAsideFacts {
  /** The last id that is already known; `0` for the first page. */
  @Matching(FACT_ID, FACT_ID_FORM) readonly after!: string;
  @WholeNumber(FACTS) readonly limit!: number;
}

/** A page of facts that Kafka refused. */
export class SetAsideFactList {
  @NestedList(() => SetAsideFactResource, { ...FACTS, min: 0 })
  readonly items!: readonly SetAsideFactResource[];
}

/** `<service>.handle-set-aside-fact`: the fact returns to its place in the outbox, or is discarded. */
export class HandleSetAsideFact {
  @Matching(FACT_ID, FACT_ID_FORM) readonly id!: string;
  @OneOf(SET_ASIDE_ACTIONS) readonly action!: SetAsideAction;
}

/** Whether a value can be the id of such a fact: decimal digits in a text. */
export function isSetAsideId(value: unknown): value is string {
  return typeof value === 'string' && FACT_ID.test(value);
}
