import { isRawNumber, numberOf, parseInstant } from '@truetally/kernel';
import { type Violation } from '../validation/compile-validator.js';
import { isJsonObject, shapeOf } from '../validation/shape.js';

type Members = Readonly<Record<string, unknown>>;

/** Gateways keep the content of every active campaign in memory, and pages wait for it to load. */
export const CONTENT_LIMIT_BYTES = 64 * 1024;
const MAX_UTF8_BYTES_PER_UNIT = 3;

/** Triggers with a threshold: scroll depth, or seconds. */
const TRIGGER_VALUES: ReadonlyMap<unknown, { readonly max: number; readonly unit: string }> = new Map([
  ['scroll', { max: 100, unit: 'percent of the page' }],
  ['delay', { max: 3_600, unit: 'seconds' }],
]);

/** Campaign rules over several fields, whatever their values are. */
export function checkCampaign({ type, schedule, content }: Members): readonly Violation[] {
  return [
    ...checkSchedule(schedule),
    ...(type === 'overlay' && isJsonObject(content) ? checkTrigger(content['trigger']) : []),
    ...checkSize(content),
  ];
}

function checkSchedule(schedule: unknown): readonly Violation[] {
  if (!isJsonObject(schedule)) return [];
  const from = epochMsOf(schedule['from']);
  const to = epochMsOf(schedule['to']);
  if (from === undefined || to === undefined || from < to) return [];
  return [{ path: 'schedule.to', message: 'must be later than schedule.from' }];
}

function checkTrigger(trigger: unknown): readonly Violation[] {
  if (!isJsonObject(trigger)) return [];
  const { type, value } = trigger;
  const path = 'content.trigger.value';
  const isAbsent = value === undefined || value === null;
  const limit = TRIGGER_VALUES.get(type);
  if (limit === undefined) {
    const isWithout = type === 'load' || type === 'exit';
    return isWithout && !isAbsent ? [{ path, message: `must be absent for the trigger ${type}` }] : [];
  }
  // A value that is not a number has been reported already.
  if (!isAbsent && typeof value !== 'number' && !isRawNumber(value)) return [];
  const number = isAbsent ? undefined : numberOf(value as number);
  if (number !== undefined && number >= 0 && number <= limit.max) return [];
  const demand = `must be a number from 0 to ${limit.max} (${limit.unit}) for the trigger ${String(type)}`;
  return [{ path, message: `${demand}; got ${isAbsent ? shapeOf(value) : 'another number'}` }];
}

function checkSize(content: unknown): readonly Violation[] {
  if (!isJsonObject(content)) return [];
  const text = JSON.stringify(content);
  const isShort = text.length * MAX_UTF8_BYTES_PER_UNIT <= CONTENT_LIMIT_BYTES;
  if (isShort || Buffer.byteLength(text) <= CONTENT_LIMIT_BYTES) return [];
  return [{ path: 'content', message: `must be at most ${CONTENT_LIMIT_BYTES} bytes as JSON` }];
}

/** To the millisecond, the stored precision. */
function epochMsOf(value: unknown): number | undefined {
  return typeof value === 'string' ? parseInstant(value)?.epochMs : undefined;
}
