import type { RecordTouches, TouchCommand } from '@truetally/contracts/attribution';
import { acceptance, type Failure, failure } from '@truetally/kernel';
import type { InstantColumn } from './instants.js';
import { touchRowIdOf } from './names.js';
import { SITE_ERASED } from './site-erased.js';

export interface TouchRequest {
  readonly request: RecordTouches;
  /** The same in each copy of the message: it identifies a redelivery. */
  readonly correlationId: string;
}

/** A touch that is stored, or new in this group. */
export interface KeptTouch {
  readonly id: string;
  readonly siteId: string;
  readonly fingerprint: string;
  /** Time of the first acceptance. */
  readonly recordedAt: InstantColumn;
  /** Of the message that brought it. */
  readonly correlationId: string;
}

export interface NewTouch extends KeptTouch {
  readonly requestId: string;
  readonly touch: TouchCommand;
}

export type TouchesOutcome =
  | {
      readonly kind: 'accepted';
      /** In the order of the request. `isNew` also for a redelivery of the message that brought it. */
      readonly touches: readonly {
        readonly touchId: string;
        readonly kept: KeptTouch;
        readonly isNew: boolean;
      }[];
    }
  | { readonly kind: 'refused'; readonly failure: Failure };

export interface DecidedTouches {
  /** One per request, in order. */
  readonly outcomes: readonly TouchesOutcome[];
  readonly added: readonly NewTouch[];
}

export interface KnownTouches {
  /** By `touchKey`. */
  readonly kept: ReadonlyMap<string, KeptTouch>;
  /** Erased sites: nothing is recorded for them. */
  readonly erased: ReadonlySet<string>;
}

/** Decides requests in order, each as a whole: one changed touch refuses its whole request. */
export function decideTouches(
  requests: readonly TouchRequest[],
  known: KnownTouches,
  now: InstantColumn,
): DecidedTouches {
  const kept = new Map(known.kept);
  const added: NewTouch[] = [];
  const outcomes = requests.map(({ request, correlationId }): TouchesOutcome => {
    if (known.erased.has(request.site_id)) return { kind: 'refused', failure: SITE_ERASED };
    const details = changedTouches(request, kept);
    if (Object.keys(details).length > 0) {
      const refusal = failure('CONFLICT', 'A touch id exists with other content', details);
      return { kind: 'refused', failure: refusal.error };
    }
    const touches = request.touches.map((touch) => {
      const name = touchKey(request.site_id, touch.touch_id);
      const first = kept.get(name);
      if (first !== undefined) {
        return { touchId: touch.touch_id, kept: first, isNew: first.correlationId === correlationId };
      }
      const one = newTouch(request, touch, correlationId, now);
      kept.set(name, one);
      added.push(one);
      return { touchId: touch.touch_id, kept: one, isNew: true };
    });
    return { kind: 'accepted', touches };
  });
  return { outcomes, added };
}

/** Key of a touch over all sites. */
export function touchKey(siteId: string, touchId: string): string {
  return `${siteId}:${touchId}`;
}

function changedTouches(
  { site_id, touches }: RecordTouches,
  kept: ReadonlyMap<string, KeptTouch>,
): Record<string, readonly string[]> {
  const details: Record<string, readonly string[]> = {};
  for (const [index, touch] of touches.entries()) {
    const first = kept.get(touchKey(site_id, touch.touch_id));
    if (acceptance(first?.fingerprint, touch.fingerprint) === 'changed') {
      details[`touches.${index}.touch_id`] = ['exists with other content'];
    }
  }
  return details;
}

function newTouch(
  { site_id: siteId, request_id: requestId }: RecordTouches,
  touch: TouchCommand,
  correlationId: string,
  now: InstantColumn,
): NewTouch {
  return {
    id: touchRowIdOf(siteId, touch.touch_id),
    siteId,
    fingerprint: touch.fingerprint,
    recordedAt: now,
    correlationId,
    requestId,
    touch,
  };
}
