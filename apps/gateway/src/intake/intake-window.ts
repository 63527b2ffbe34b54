import { MAX_INTAKE_HOURS } from '@truetally/contracts/events';
import { textShapeOf } from '@truetally/contracts/validation';
import {
  type Calendar,
  END_OF_DAYS,
  fail,
  type FieldErrors,
  parseInstant,
  readDay,
  type Result,
  succeed,
} from '@truetally/kernel';
import { parameter, type QueryParameter, QueryReader } from '../http/query-reader.js';

/** Whole clock hours (UTC), `fromMs` ≤ hour < `toMs`. */
export interface IntakeWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What a client asked for: a date of the site's calendar or an instant each; undefined where nothing is given. */
export interface AskedIntake {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

const HOUR_MS = 3_600_000;
const USUAL_HOURS = 24;
const MOST_DAYS = 31;
const MAX_CHARACTERS = 40;

const moment: QueryParameter = parameter(
  { type: 'string', minLength: 1, maxLength: MAX_CHARACTERS },
  (value) =>
    value.length <= MAX_CHARACTERS && (readDay(value) !== undefined || parseInstant(value) !== undefined)
      ? undefined
      : `must be a date such as 2026-03-29, or a date and time with an offset; got ${textShapeOf(value)}`,
);

/** The parameters of `GET /sites/{id}/intake`. */
export const INTAKE_QUERY = { from: moment, to: moment };

/** Reads what can be judged without the site; one boundary alone is refused, as in every report. */
export function readIntakeQuery(query: URLSearchParams | undefined): Result<AskedIntake, FieldErrors> {
  const reader = new QueryReader(query);
  const from = reader.optional('from', INTAKE_QUERY.from);
  const to = reader.optional('to', INTAKE_QUERY.to);
  const read = reader.result({ from, to });
  if (!read.ok || (from === undefined) === (to === undefined)) return read;
  return from === undefined
    ? fail({ from: ['is required together with to'] })
    : fail({ to: ['is required together with from'] });
}

/** The hours that the window touches. Default: the last 24, with the current one. */
export function intakeWindow(
  { from, to }: AskedIntake,
  calendar: Calendar,
  nowMs: number,
): Result<IntakeWindow, FieldErrors> {
  if (from === undefined || to === undefined) {
    const toMs = (Math.floor(nowMs / HOUR_MS) + 1) * HOUR_MS;
    return succeed({ fromMs: toMs - USUAL_HOURS * HOUR_MS, toMs });
  }
  const [begin, end] = [instantOf(from, calendar), instantOf(to, calendar)];
  if (begin >= end) return fail({ to: ['must be later than from'] });
  if (end > Date.parse(END_OF_DAYS)) return fail({ to: [`must not be after ${END_OF_DAYS}`] });
  const window = {
    fromMs: Math.floor(begin / HOUR_MS) * HOUR_MS,
    toMs: Math.ceil(end / HOUR_MS) * HOUR_MS,
  };
  return window.toMs - window.fromMs > MAX_INTAKE_HOURS * HOUR_MS
    ? fail({ to: [`must be at most ${MOST_DAYS} days after from`] })
    : succeed(window);
}

function instantOf(text: string, calendar: Calendar): number {
  return parseInstant(text)?.epochMs ?? calendar.startOf(text);
}
