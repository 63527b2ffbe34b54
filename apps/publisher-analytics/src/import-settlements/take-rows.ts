import { type JobErrorResource, type JobStepReport, MAX_JOB_ERRORS } from '@truetally/contracts/jobs';
import type { FieldErrors } from '@truetally/kernel';
import type { Kept, SettlementRecording } from '../storage/settlement.store.js';
import type { JudgedRow } from './judge-rows.js';

/** The outcome of some rows of a job. */
export type TakenRows = Pick<JobStepReport, 'done' | 'errors' | 'failed' | 'stored'>;

export const NO_ROWS: TakenRows = { done: 0, stored: 0, failed: 0, errors: [] };

/** Stores the valid ones. */
export async function recordRows(
  recording: SettlementRecording,
  judged: readonly JudgedRow[],
): Promise<TakenRows> {
  const sound = judged.filter((one) => 'offered' in one);
  const kept = await recording.record(sound.map(({ offered }) => offered));
  const errors: JobErrorResource[] = judged.flatMap((one) =>
    'errors' in one ? errorsOf(one.row, one.errors) : [],
  );
  sound.forEach(({ row }, index) => errors.push(...errorOfKept(row, kept[index] ?? 'kept')));
  const failed = new Set(errors.map(({ row }) => row)).size;
  errors.sort((left, right) => (left.row ?? 0) - (right.row ?? 0));
  return added(NO_ROWS, { done: judged.length, stored: judged.length - failed, failed, errors });
}

/** Bounds the errors of a job, because a report must fit into one message. */
export function added(one: TakenRows, other: TakenRows): TakenRows {
  return {
    done: one.done + other.done,
    stored: one.stored + other.stored,
    failed: one.failed + other.failed,
    errors: [...one.errors, ...other.errors].slice(0, MAX_JOB_ERRORS),
  };
}

function errorsOf(row: number, errors: FieldErrors): readonly JobErrorResource[] {
  return Object.entries(errors).flatMap(([field, messages]) =>
    messages.map((message) => ({ row, field: field === '' ? null : field, message })),
  );
}

function errorOfKept(row: number, kept: Kept): readonly JobErrorResource[] {
  switch (kept) {
    case 'kept':
      return [];
    case 'erased':
      return [{ row, field: null, message: 'belongs to a site that has been deleted' }];
    case 'contradicts': {
      const message = 'must be newer: another state of this transaction has the same updated_at and differs';
      return [{ row, field: 'updated_at', message }];
    }
  }
}
