import { Injectable } from '@nestjs/common';
import { ALPHA, DEFAULT_ALPHA, DEFAULT_POWER, type PlanSample } from '@truetally/contracts/experiments';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { JsonSchema } from '@truetally/contracts/validation';
import type { FieldErrors, Result } from '@truetally/kernel';
import { Asker } from '../ask/ask.js';
import type { Exchange } from '../http/exchange.js';
import { needed, parameter, type QueryParameter, QueryReader } from '../http/query-reader.js';
import { refuse } from '../http/respond.js';

const EVEN = 0.5;
/** A plain or scientific number in JSON's syntax. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;

const POSITIVE = numberIn('above 0', { exclusiveMinimum: 0 }, (value) => value > 0);
const SHARE = numberIn('from 0 to 1', { minimum: 0, maximum: 1 }, (value) => value >= 0 && value <= 1);
const PROBABILITY = numberIn(
  'above 0 and below 1',
  { exclusiveMinimum: 0, exclusiveMaximum: 1 },
  (value) => value > 0 && value < 1,
);

const LEVEL = numberIn(
  `above ${ALPHA.above} and below ${ALPHA.below}`,
  { exclusiveMinimum: ALPHA.above, exclusiveMaximum: ALPHA.below },
  (value) => value > ALPHA.above && value < ALPHA.below,
);

export const SAMPLE_QUERY = {
  baseline_rate: needed(SHARE),
  minimum_detectable_effect: needed(POSITIVE),
  alpha: LEVEL,
  power: PROBABILITY,
  control_share: PROBABILITY,
  daily_sessions: POSITIVE,
};

/**
 * `GET /partner-experiments/required-sample` (interface page, section 7); the service computes the formula.
 */
@Injectable()
export class SamplePlanner {
  constructor(private readonly asker: Asker) {}

  async plan(exchange: Exchange): Promise<void> {
    const plan = readPlan(exchange.query);
    if (!plan.ok) return refuse(exchange, 'broken-rules', plan.error);
    await this.asker.answer(exchange, OPERATIONS.planSample, plan.value);
  }
}

function readPlan(query: URLSearchParams | undefined): Result<PlanSample, FieldErrors> {
  const reader = new QueryReader(query);
  const given = (name: keyof typeof SAMPLE_QUERY): string | undefined =>
    reader.optional(name, SAMPLE_QUERY[name]);
  const numberOr = (name: keyof typeof SAMPLE_QUERY, instead: number): number =>
    Number(given(name) ?? instead);
  const required = (name: keyof typeof SAMPLE_QUERY): number =>
    Number(reader.required(name, SAMPLE_QUERY[name]));
  const daily = given('daily_sessions');
  return reader.result({
    baseline_rate: required('baseline_rate'),
    minimum_detectable_effect: required('minimum_detectable_effect'),
    alpha: numberOr('alpha', DEFAULT_ALPHA),
    power: numberOr('power', DEFAULT_POWER),
    control_share: numberOr('control_share', EVEN),
    daily_sessions: daily === undefined ? null : Number(daily),
  });
}

function numberIn(words: string, bounds: JsonSchema, holds: (value: number) => boolean): QueryParameter {
  return parameter({ type: 'number', ...bounds }, (text) => {
    const value = NUMBER.test(text) ? Number(text) : Number.NaN;
    return Number.isFinite(value) && holds(value) ? undefined : `must be a number ${words}`;
  });
}
