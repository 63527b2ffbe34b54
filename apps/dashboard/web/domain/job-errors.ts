import { csvRow } from '@truetally/contracts/tables';

/** What was wrong with one row of an upload. */
export interface RowError {
  readonly row: number | null;
  readonly field: string | null;
  readonly message: string;
}

/** The errors as a table for spreadsheets (RFC 4180). */
export function errorsAsCsv(errors: readonly RowError[]): string {
  const lines = errors.map(({ row, field, message }) => [row, field, message]);
  return [['row', 'field', 'message'], ...lines].map(csvRow).join('');
}
