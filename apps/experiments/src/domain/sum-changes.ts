import type { Variant } from '@truetally/contracts/experiments';
import { RunningSums } from './account.js';
import type { SessionChange } from './fold-session.js';

/** The changes that some sessions make to the sums of their experiments. */
export class SumChanges {
  /** Columns by key. */
  readonly arms = new Map<string, SumChange>();
  readonly hours = new Map<string, SumChange & { readonly hourMs: number }>();
  readonly parts = new Map<string, PartChange>();
  readonly currencies = new Map<string, CurrencyChange>();

  /** The sample parts of a newly counted session; of one that counts there no more, with -1. */
  addSession(
    { experimentId, variant }: Arm,
    parts: readonly { readonly dimension: Dimension; readonly value: string }[],
    sessions: 1 | -1 = 1,
  ): void {
    for (const { dimension, value } of parts) {
      const key = `${experimentId}\n${dimension}\n${value}`;
      const known = this.parts.get(key) ?? { experimentId, dimension, value, control: 0, treatment: 0 };
      known[variant] += sessions;
      this.parts.set(key, known);
    }
  }

  /** Adds the change of a session's contribution. */
  add({ experimentId, variant }: Arm, { hours, otherCurrencies }: SessionChange): void {
    const armKey = `${experimentId}\n${variant}`;
    for (const [hourMs, change] of hours) {
      const hourKey = `${armKey}\n${hourMs}`;
      const inArm = this.arms.get(armKey) ?? { experimentId, variant, total: new RunningSums() };
      const inHour = this.hours.get(hourKey) ?? { experimentId, variant, hourMs, total: new RunningSums() };
      inArm.total.add(change);
      inHour.total.add(change);
      this.arms.set(armKey, inArm);
      this.hours.set(hourKey, inHour);
    }
    for (const [currency, change] of otherCurrencies) {
      const key = `${experimentId}\n${currency}`;
      const orders = (this.currencies.get(key)?.orders ?? 0n) + change;
      this.currencies.set(key, { experimentId, currency, orders });
    }
  }
}

/** The last one is of sessions that an experiment's rule excludes, which count in no other. */
export type Dimension = 'day' | 'provider' | 'device' | 'excluded';

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
