import type { Variant } from '@truetally/contracts/experiments';
import { RunningSums } from './account.js';
import { changeOfHours, type FoldedSession } from './fold-session.js';

const NO_HOURS: FoldedSession['hours'] = new Map();

/** The changes that some sessions make to the sums of their experiments. */
export class SumChanges {
  /** Columns by key. */
  readonly arms = new Map<string, SumChange>();
  readonly hours = new Map<string, SumChange & { readonly hourMs: number }>();
  readonly parts = new Map<string, PartChange>();
  readonly currencies = new Map<string, CurrencyChange>();

  /** The sample part of a newly counted session. */
  addSession(
    { experimentId, variant }: Arm,
    parts: readonly { readonly dimension: Dimension; readonly value: string }[],
  ): void {
    for (const { dimension, value } of parts) {
      const key = `${experimentId}\n${dimension}\n${value}`;
      const known = this.parts.get(key) ?? { experimentId, dimension, value, control: 0, treatment: 0 };
      known[variant] += 1;
      this.parts.set(key, known);
    }
  }

  /** Replaces a session's contribution `before` by `now`. */
  add(arm: Arm, before: FoldedSession | undefined, now: FoldedSession): void {
    const { experimentId, variant } = arm;
    const armKey = `${experimentId}\n${variant}`;
    for (const [hourMs, change] of changeOfHours(before?.hours ?? NO_HOURS, now.hours)) {
      const hourKey = `${armKey}\n${hourMs}`;
      const inArm = this.arms.get(armKey) ?? { experimentId, variant, total: new RunningSums() };
      const inHour = this.hours.get(hourKey) ?? { experimentId, variant, hourMs, total: new RunningSums() };
      inArm.total.add(change);
      inHour.total.add(change);
      this.arms.set(armKey, inArm);
      this.hours.set(hourKey, inHour);
    }
    this.addCurrencies(experimentId, before?.otherCurrencies, -1n);
    this.addCurrencies(experimentId, now.otherCurrencies, 1n);
  }

  private addCurrencies(
    experimentId: string,
    orders: ReadonlyMap<string, bigint> | undefined,
    sign: bigint,
  ): void {
    for (const [currency, count] of orders ?? []) {
      const key = `${experimentId}\n${currency}`;
      const known = this.currencies.get(key)?.orders ?? 0n;
      this.currencies.set(key, { experimentId, currency, orders: known + sign * count });
    }
  }
}

export type Dimension = 'day' | 'provider' | 'device';

export interface Arm {
  readonly experimentId: string;
  readonly variant: Variant;
}

export interface SumChange extends Arm {
  readonly total: RunningSums;
}

export interface PartChange {
  readonly experimentId: string;
  readonly dimension: Dimension;
  readonly value: string;
  control: number;
  treatment: number;
}

export interface CurrencyChange {
  readonly experimentId: string;
  readonly currency: string;
  readonly orders: bigint;
}

/** The day (UTC) of an instant: `2026-01-31`. */
export function dayOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 'YYYY-MM-DD'.length);
}
