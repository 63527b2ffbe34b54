import type { EndedLease } from '../storage/limit.store.js';
import type { HourlyLimit } from './hourly-limit.js';

/** A part of a subject's hour that was taken in advance: requests are admitted from it without asking. */
interface Lease {
  readonly perHour: number;
  readonly size: number;
  rest: number;
  /** What remained of the hour beside it. */
  readonly beyond: number;
  readonly hourEndsAtSeconds: number;
  readonly hourEndsAtMs: number;
  readonly endsAtMs: number;
}

/** Requests of one subject for one call, as far as they decide whether it gets a lease. */
interface Demand {
  readonly perHour: number;
  readonly requests: number;
  readonly cost: number;
}

interface Habit {
  /** When the last call about the subject was sent. */
  askedAtMs: number;
  /** Calls in a row that came close upon each other. */
  streak: number;
  /** What the next lease should hold, and when the last one ended. */
  size: number;
  endedAtMs: number;
}

/** What is not used in this time goes back, so that nobody is refused for what another gateway does not need. */
export const LEASE_MS = 1_000;
/** A lease is at most this part of an hour: what a killed gateway takes with it. Smaller limits have none. */
const PART_OF_HOUR = 64;
const MIN_PART = 64;
/** Who sends more at once, asks so soon again so often, or used up more of a lease just now, is busy. */
const QUIET_REQUESTS = 4;
const SOON_MS = 20;
const SOON_IN_A_ROW = 8;
/** A first lease, in calls like the one that it comes with. */
const FIRST_LEASE_CALLS = 8;
const MAX_HABITS = 100_000;

/** The leases of a gateway, one a subject at most. */
export class Leases {
  private readonly leases = new Map<string, Lease>();
  private readonly habits = new Map<string, Habit>();

  /** Takes the cost from the subject's lease. @returns the lease, or undefined when none covers it */
  take({ subject, perHour }: HourlyLimit, cost: number, nowMs: number): Lease | undefined {
    const lease = this.leases.get(subject);
    if (lease === undefined || lease.perHour !== perHour || lease.rest < cost) return undefined;
    if (nowMs >= lease.endsAtMs) return undefined;
    lease.rest -= cost;
    return lease;
  }

  /** What this gateway has taken of the subject's hour, and not used. */
  restOf(subject: string): number {
    return this.leases.get(subject)?.rest ?? 0;
  }

  get subjects(): readonly string[] {
    return [...this.leases.keys()];
  }

  isOver(subject: string, nowMs: number): boolean {
    const lease = this.leases.get(subject);
    return lease !== undefined && nowMs >= lease.endsAtMs;
  }

  add(subject: string, lease: Lease): void {
    this.leases.set(subject, lease);
  }

  /** Nothing is admitted from the lease any more. @returns what to give back */
  end(subject: string, nowMs: number): EndedLease | undefined {
    const lease = this.leases.get(subject);
    if (lease === undefined) return undefined;
    this.leases.delete(subject);
    const { size, rest, hourEndsAtSeconds } = lease;
    const habit = this.habits.get(subject);
    // One that was used up before its time was too small; another one held too much.
    if (habit !== undefined) {
      habit.size = nowMs < lease.endsAtMs ? size * 2 : size - rest;
      habit.endedAtMs = nowMs;
    }
    return { size, unused: rest, hourEndsAtSeconds };
  }

  /** What the subject should get in advance: nothing while it is quiet, or its limit small. */
  wish(subject: string, { perHour, requests, cost }: Demand, nowMs: number): number {
    const most = Math.floor(perHour / PART_OF_HOUR);
    if (most < MIN_PART) return 0;
    const habit = this.habitOf(subject);
    habit.streak = nowMs - habit.askedAtMs < SOON_MS ? habit.streak + 1 : 0;
    habit.askedAtMs = nowMs;
    // The first request after a lease comes alone, and would wait for the others to come again.
    const wasBusy = habit.size > QUIET_REQUESTS && nowMs - habit.endedAtMs < LEASE_MS;
    if (requests <= QUIET_REQUESTS && habit.streak < SOON_IN_A_ROW && !wasBusy) return 0;
    return Math.min(most, Math.max(habit.size, FIRST_LEASE_CALLS * cost));
  }

  private habitOf(subject: string): Habit {
    let habit = this.habits.get(subject);
    if (habit === undefined) {
      if (this.habits.size >= MAX_HABITS) this.habits.clear();
      habit = { askedAtMs: -Infinity, streak: 0, size: 0, endedAtMs: -Infinity };
      this.habits.set(subject, habit);
    }
    return habit;
  }
}
