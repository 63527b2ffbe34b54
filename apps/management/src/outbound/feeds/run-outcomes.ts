import type { JobErrorResource, JobStepReport } from '@truetally/contracts/jobs';
import { MAX_JOB_ERRORS } from '@truetally/contracts/jobs';

/** What became of some rows, up to and with one. */
interface Outcome {
  readonly through: number;
  readonly done: number;
  readonly stored: number;
  readonly failed: number;
  readonly errors: readonly JobErrorResource[];
}

/** How many parts may wait to be reported: then reading waits, too. */
export const MAX_UNREPORTED = 20;

/**
 * What a reading has to report. A report is kept until the next question shows that it was saved, and rows that an earlier reading
 * has reported are not reported again: a job counts each row once, whoever is killed.
 */
export class RunOutcomes {
  private outcomes: Outcome[] = [];
  private listed = 0;
  private through: number;

  /** @param reported rows that are reported already */
  constructor(private reported: number) {
    this.through = reported;
  }

  /** Rows up to here were saved. @returns false for a question that is older than one before it */
  acknowledge(reported: number): boolean {
    if (reported < this.reported) return false;
    this.reported = reported;
    // A question of before a kill may have begun this reading: what was saved since is not added any more.
    this.through = Math.max(this.through, reported);
    this.outcomes = this.outcomes.filter(({ through }) => through > reported);
    return true;
  }

  /** @param first the first of these rows @param errors of them */
  add(first: number, last: number, errors: readonly JobErrorResource[]): void {
    const from = Math.max(first, this.through + 1);
    if (from > last) return;
    const own = errors.filter(({ row }) => row === null || row >= from);
    const failed = new Set(own.map(({ row }) => row)).size;
    const done = last - from + 1;
    const kept = own.slice(0, MAX_JOB_ERRORS - this.listed);
    this.listed += kept.length;
    this.outcomes.push({ through: last, done, stored: done - failed, failed, errors: kept });
    this.through = last;
  }

  /** Whether no row was read or reported before: the faults of all that is read are told. */
  get isAtStart(): boolean {
    return this.through === 0;
  }

  get isEmpty(): boolean {
    return this.outcomes.length === 0;
  }

  get isFull(): boolean {
    return this.outcomes.length >= MAX_UNREPORTED;
  }

  /** Everything that is not saved yet. */
  report(): JobStepReport {
    const sum = (of: (one: Outcome) => number): number =>
      this.outcomes.reduce((total, one) => total + of(one), 0);
    const done = sum((one) => one.done);
    return {
      cursor: String(this.outcomes.at(-1)?.through ?? this.reported),
      found: done,
      done,
      stored: sum((one) => one.stored),
      failed: sum((one) => one.failed),
      errors: this.outcomes.flatMap(({ errors }) => errors),
    };
  }
}
