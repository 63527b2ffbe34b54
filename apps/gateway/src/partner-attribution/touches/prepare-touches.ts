import {
  MAX_TOUCHES_PER_REQUEST,
  TOUCH_DIRECTIONS,
  TOUCH_LIMITS,
  TOUCH_PROVENANCES,
  type TouchBody,
  type TouchCommand,
  TouchesBody,
} from '@truetally/contracts/attribution';
import { type PartnerSettings } from '@truetally/contracts/facts';
import {
  compileValidator,
  isJsonObject,
  toFieldErrors,
  type Violation,
} from '@truetally/contracts/validation';
import {
  fail,
  type FieldErrors,
  formatInstantPrecisely,
  parseInstant,
  type Result,
  succeed,
  toStorableText,
} from '@truetally/kernel';

export interface TouchesReceipt {
  /** As `readJson` returned it. */
  readonly body: unknown;
  readonly partner: PartnerSettings;
  /** Receipt time. */
  readonly nowMs: number;
}

/**
 * A touch after normalisation, with its click value still unencrypted: it must not leave this process in this
 * form.
 */
export interface PreparedTouch extends Omit<TouchCommand, 'click' | 'fingerprint'> {
  readonly clickValue: string | null;
}

const validate = compileValidator(TouchesBody);

/**
 * Validates and normalises the touches of a request (interface page, section 5). Returns every broken rule of
 * every touch by its path, or the touches in order, including repetitions.
 */
export function prepareTouches({
  body,
  partner,
  nowMs,
}: TouchesReceipt): Result<readonly PreparedTouch[], FieldErrors> {
  const violations = [...validate(body)];
  const items = itemsOf(body);
  violations.push(...checkCount(items, partner.touch_limit, violations));
  items.forEach((item, index) => {
    if (isJsonObject(item)) violations.push(...checkTouch(item, `touches.${index}.`, partner, nowMs));
  });
  // Valid touches are compared with each other even when others are invalid, so that every broken rule is
  // reported.
  const broken = indexesOf(violations);
  const touches = items.map((item, index) =>
    broken.has(String(index)) ? undefined : normalise(item as TouchBody),
  );
  violations.push(...checkRepeats(touches));
  if (violations.length > 0) return fail(toFieldErrors(violations));
  return succeed(touches.filter((touch) => touch !== undefined));
}

/** Indexes of touches that break a rule of their own. */
function indexesOf(violations: readonly Violation[]): ReadonlySet<string | undefined> {
  return new Set(violations.map(({ path }) => path.split('.')[1]));
}

type Touch = Readonly<Record<string, unknown>>;

/** Empty for a list that is too long, which gets one message instead of one per item. */
function itemsOf(body: unknown): readonly unknown[] {
  const touches = isJsonObject(body) ? body['touches'] : undefined;
  return Array.isArray(touches) && touches.length <= MAX_TOUCHES_PER_REQUEST ? touches : [];
}

function checkCount(
  items: readonly unknown[],
  limit: number,
  known: readonly Violation[],
): readonly Violation[] {
  if (items.length <= limit || known.some(({ path }) => path === 'touches')) return [];
  return [
    { path: 'touches', message: `must be at most ${limit} touches, the site's limit; got ${items.length}` },
  ];
}

const WHEN_INBOUND = 'is required when direction is inbound';
const NO_PATH = 'must begin with /';
const TOO_FAR_AHEAD = 'must not be more than 24 hours ahead of the server';

/** Rules that depend on another field, on the site or on the clock. */
function checkTouch(
  touch: Touch,
  prefix: string,
  partner: PartnerSettings,
  nowMs: number,
): readonly Violation[] {
  const { provider, direction, landing_path, occurred_at } = touch;
  const violations: Violation[] = [];
  const violate = (name: string, message: string): void => {
    violations.push({ path: prefix + name, message });
  };
  if (typeof provider === 'string' && !partner.providers.includes(provider)) {
    violate(
      'provider',
      `must be a provider that the site allows: ${partner.providers.join(', ') || 'it allows none'}`,
    );
  }
  if (direction === 'inbound') {
    for (const name of ['provider_click_id', 'landing_path']) {
      if (touch[name] === undefined || touch[name] === null) violate(name, WHEN_INBOUND);
    }
  }
  if (typeof landing_path === 'string' && !landing_path.startsWith('/')) violate('landing_path', NO_PATH);
  const instant = typeof occurred_at === 'string' ? parseInstant(occurred_at) : undefined;
  if (instant !== undefined && instant.epochMs - nowMs > TOUCH_LIMITS.occurredAheadMs) {
    violate('occurred_at', TOO_FAR_AHEAD);
  }
  return violations;
}

/** @param touch a valid one */
function normalise(touch: TouchBody): PreparedTouch {
  const instant = parseInstant(touch.occurred_at);
  const direction = TOUCH_DIRECTIONS.find((known) => known === touch.direction);
  const provenance = TOUCH_PROVENANCES.find((known) => known === touch.provenance);
  if (instant === undefined || direction === undefined || provenance === undefined) {
    throw new Error('A touch that breaks no rule has a time, a direction and a provenance.');
  }
  return {
    touch_id: touch.touch_id,
    provider: touch.provider,
    direction,
    partner_id: touch.partner_id ?? null,
    landing_path: touch.landing_path == null ? null : pathOf(touch.landing_path),
    occurred_at: formatInstantPrecisely(instant),
    provenance,
    session_id: touch.session_id ?? null,
    clickValue: touch.provider_click_id ?? null,
  };
}

const QUERY_OR_FRAGMENT = /[?#].*$/s;

/** Networks put the click value into the query, and some into the fragment: both are removed. */
function pathOf(landingPath: string): string {
  return toStorableText(landingPath.replace(QUERY_OR_FRAGMENT, ''));
}

/** A repeated id is one touch if all fields are equal, and an error otherwise. */
function checkRepeats(touches: readonly (PreparedTouch | undefined)[]): readonly Violation[] {
  const first = new Map<string, { readonly index: number; readonly content: string }>();
  const violations: Violation[] = [];
  for (const [index, touch] of touches.entries()) {
    if (touch === undefined) continue;
    const content = JSON.stringify(touch);
    const earlier = first.get(touch.touch_id);
    if (earlier === undefined) first.set(touch.touch_id, { index, content });
    else if (earlier.content !== content) {
      const message = `names the same touch as touches.${earlier.index}, with other content`;
      violations.push({ path: `touches.${index}.touch_id`, message });
    }
  }
  return violations;
}
