import { fail, type Result, succeed } from '@truetally/kernel';
import { RecordReader } from '../facts/record-reader.js';
import { isJsonObject } from '../validation/shape.js';

/**
 * `experiments.queries/plan-sample`: the query of `GET /partner-experiments/required-sample`. The gateway has
 * validated each number.
 */
export interface PlanSample {
  readonly baseline_rate: number;
  readonly minimum_detectable_effect: number;
  readonly alpha: number;
  readonly power: number;
  readonly control_share: number;
  readonly daily_sessions: number | null;
}

/** Reads a parsed message; never throws. */
export function readPlanSample(message: unknown): Result<PlanSample, string> {
  if (!isJsonObject(message)) return fail('not an object');
  const reader = RecordReader.from(message);
  const numbers = ['baseline_rate', 'minimum_detectable_effect', 'alpha', 'power', 'control_share'];
  const broken = numbers.filter((name) => typeof reader?.anything(name) !== 'number');
  const daily = message['daily_sessions'];
  if (daily !== null && typeof daily !== 'number') broken.push('daily_sessions');
  return broken.length === 0
    ? succeed(message as unknown as PlanSample)
    : fail(`unreadable: ${broken.join(', ')}`);
}
