import {
  SETTLEMENT_FIELD_CHARACTERS,
  SETTLEMENT_FIELDS,
  type UploadRow,
} from '@truetally/contracts/publisher';
import { type FieldErrors, isRawNumber } from '@truetally/kernel';

/**
 * A row with its values, or with the fields whose texts are longer than any value of them. Such a text is not
 * kept: one file could otherwise occupy a multiple of its size in each step of its import.
 * @param values in the order of `SETTLEMENT_FIELDS`
 */
export function boundedRow(row: number, values: readonly unknown[]): UploadRow {
  const errors: Record<string, readonly string[]> = {};
  SETTLEMENT_FIELDS.forEach((field, index) => {
    const most = SETTLEMENT_FIELD_CHARACTERS[field];
    if (isLongerThan(most, textOf(values[index]))) errors[field] = [`must be at most ${most} characters`];
  });
  return Object.keys(errors).length === 0 ? { row, values: values.map(bounded) } : { row, errors };
}

/** The fault of a row as a whole. */
export function faultyRow(row: number, fault: string): UploadRow {
  const errors: FieldErrors = { '': [fault] };
  return { row, errors };
}

/** No field is an object or a list: its content would only be refused later. */
function bounded(value: unknown): unknown {
  return typeof value === 'object' && value !== null && !isRawNumber(value) ? [] : value;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return isRawNumber(value) ? value.rawJSON : '';
}

/** Counts the characters only of a text that may be short enough: each has at most two units. */
function isLongerThan(most: number, text: string): boolean {
  if (text.length <= most) return false;
  return text.length > 2 * most || Array.from(text).length > most;
}
