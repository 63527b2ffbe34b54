import { DEFAULT_ALPHA, DEFAULT_POWER, type PlanSample } from '@truetally/contracts/experiments';
import { TOPICS } from '@truetally/contracts/topics';
import type { FieldErrors, Result } from '@truetally/kernel';
import type { KafkaAskClient } from '@truetally/messaging';
import { refusalOf } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import { type ParameterRule, QueryReader } from '../http/query-reader.js';
import { answer, refuse, refuseAs } from '../http/respond.js';

export const SAMPLE_QUERY = [
  'baseline_rate',
  'minimum_detectable_effect',
  'alpha',
  'power',
  'control_share',
  'daily_sessions',
] as const;

const OK = 200;
const EVEN = 0.5;
/** A plain or scientific number in JSON's syntax. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;

/**
 * `GET /partner-experiments/required-sample` (interface page, section 7); the service computes the formula.
 */
export class SamplePlanner {
  constructor(private readonly asker: Pick<KafkaAskClient, 'ask'>) {}

  async plan(exchange: Exchange): Promise<void> {
    const plan = readPlan(exchange.query);
    if (!plan.ok) return refuse(exchange, 'broken-rules', plan.error);
    const { requestId, traceparent } = exchange;
    const reply = await this.asker.ask({
      topic: TOPICS.planSample.name,
      key: requestId,
      value: JSON.stringify(plan.value),
      kind: 'query',
      requestId,
      traceparent,
    });
    if ('error' in reply) return refuseAs(exchange, refusalOf(reply.error), reply.error.details);
    answer(exchange, OK, JSON.stringify(reply.ok));
  }
}

function readPlan(query: URLSearchParams | undefined): Result<PlanSample, FieldErrors> {
  const reader = new QueryReader(query);
  const numberOr = (name: string, rule: ParameterRule, instead: number): number =>
    Number(reader.optional(name, rule) ?? instead);
  const daily = reader.optional(
    'daily_sessions',
    numberIn('above 0', (value) => value > 0),
  );
  return reader.result({
    baseline_rate: Number(
      reader.required(
        'baseline_rate',
        numberIn('from 0 to 1', (value) => value >= 0 && value <= 1),
      ),
    ),
    minimum_detectable_effect: Number(
      reader.required(
        'minimum_detectable_effect',
        numberIn('above 0', (value) => value > 0),
      ),
    ),
    alpha: numberOr('alpha', PROBABILITY, DEFAULT_ALPHA),
    power: numberOr('power', PROBABILITY, DEFAULT_POWER),
    control_share: numberOr('control_share', PROBABILITY, EVEN),
    daily_sessions: daily === undefined ? null : Number(daily),
  });
}

const PROBABILITY = numberIn('above 0 and below 1', (value) => value > 0 && value < 1);

function numberIn(words: string, holds: (value: number) => boolean): ParameterRule {
  return (text) => {
    const value = NUMBER.test(text) ? Number(text) : Number.NaN;
    return Number.isFinite(value) && holds(value) ? undefined : `must be a number ${words}`;
  };
}
