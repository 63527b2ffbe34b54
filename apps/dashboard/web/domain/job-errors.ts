/** What was wrong with one row of an upload. */
export interface RowError {
  readonly row: number | null;
  readonly field: string | null;
  readonly message: string;
}

/** A cell that a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** The errors as a table for spreadsheets (RFC 4180). */
export function errorsAsCsv(errors: readonly RowError[]): string {
  const lines = errors.map(({ row, field, message }) =>
    [String(row ?? ''), field ?? '', message].map(cellOf),
  );
  return [['row', 'field', 'message'], ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
}

function cellOf(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
