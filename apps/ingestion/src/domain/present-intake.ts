import {
  type IntakeCounts,
  type IntakeHour,
  MAX_REASONS,
  OTHER_REASONS,
  type RefusalReason,
} from '@truetally/contracts/events';
import { formatInstant } from '@truetally/kernel';

const HOUR_MS = 3_600_000;

/** The counters of one hour; only hours in which something was counted have them. */
export interface CountedHour {
  /** ISO 8601 UTC. */
  readonly start: string;
  readonly received: number;
  readonly stored: number;
  readonly deduplicated: number;
  readonly failed: number;
}

/** What was refused in one hour for one reason. */
export interface CountedRefusal {
  readonly start: string;
  /** `request`: whole requests, with the HTTP status as their code. */
  readonly kind: 'item' | 'request';
  readonly code: string;
  /** Empty where no field is named. */
  readonly field: string;
  readonly refused: number;
}

export interface CountedIntake {
  readonly as_of: string;
  readonly last_event_at: string | null;
  readonly last_refused_at: string | null;
  readonly hours: readonly CountedHour[];
  readonly refusals: readonly CountedRefusal[];
}

/** Every hour, `fromMs` ≤ hour < `toMs`, oldest first: those without a counter with zeros. */
export function presentIntake(counted: CountedIntake, fromMs: number, toMs: number): IntakeCounts {
  const { as_of, last_event_at, last_refused_at } = counted;
  const counters = new Map(counted.hours.map((hour) => [hour.start, hour]));
  const refusals = Map.groupBy(counted.refusals, ({ start }) => start);
  const hours: IntakeHour[] = [];
  for (let ms = fromMs; ms < toMs; ms += HOUR_MS) {
    const start = formatInstant(ms);
    hours.push(presentHour(counters.get(start) ?? { start, ...ZEROS }, refusals.get(start) ?? []));
  }
  return { as_of, last_event_at, last_refused_at, hours };
}

const ZEROS = { received: 0, stored: 0, deduplicated: 0, failed: 0 };

function presentHour(hour: CountedHour, refusals: readonly CountedRefusal[]): IntakeHour {
  const { start, received, stored, deduplicated, failed } = hour;
  const items = refusals.filter(({ kind }) => kind === 'item');
  const reasons = sumOf(items);
  return {
    start,
    received,
    stored,
    deduplicated,
    failed,
    balanced: received === stored + deduplicated + failed && failed === reasons,
    reasons: namedReasons(items),
    refused_requests: refusals
      .filter(({ kind }) => kind === 'request')
      .map(({ code, refused }) => ({ status: Number(code), count: refused }))
      .sort((a, b) => a.status - b.status),
  };
}

/** The most frequent ones by name; their order does not depend on who counted first. */
function namedReasons(items: readonly CountedRefusal[]): readonly RefusalReason[] {
  const sorted = items.toSorted((a, b) => b.refused - a.refused || (nameOf(a) < nameOf(b) ? -1 : 1));
  const named = sorted.slice(0, MAX_REASONS).map(({ code, field, refused }) => {
    return { code, field: field === '' ? null : field, count: refused };
  });
  const others = sumOf(sorted.slice(MAX_REASONS));
  return others === 0 ? named : [...named, { code: OTHER_REASONS, field: null, count: others }];
}

function nameOf({ code, field }: CountedRefusal): string {
  return `${code} ${field}`;
}

function sumOf(refusals: readonly CountedRefusal[]): number {
  return refusals.reduce((sum, { refused }) => sum + refused, 0);
}
