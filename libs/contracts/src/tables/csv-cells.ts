/** What spreadsheets take for the beginning of a formula, also in their full-width forms. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
/**
 * The same within a text. A spreadsheet with a decimal comma splits the file at semicolons, whatever quotes surround them, and at
 * line ends; a list with dashes, or a telephone number, begins a line without harm, as long as nothing in it is called, and its end
 * is no operator, behind which the next cell would go on with it.
 */
const FORMULA_WITHIN =
  /[;\t]"*(?=[=+\-@＝＋－＠])|[\r\n]"*(?=[=@＝＠]|[+\-＋－](?!(?=[\s\d])[^!|(;\r\n]*(?:[;\r\n]|[\p{L}\p{N}.]\s*$)))/gu;
const PLAIN_NUMBER = /^-?\d+(\.\d+)?$/;
const NEEDS_QUOTES = /[",\r\n]/;
const LINE_END = '\r\n';

/**
 * A row of a CSV file (RFC 4180). Visitors decide what cells hold: a text that a spreadsheet would carry out as a
 * formula gets an apostrophe before it, which spreadsheets do not show. Plain numbers are left as they are.
 */
export function csvRow(cells: readonly unknown[]): string {
  return cells.map(csvCell).join(',') + LINE_END;
}

function csvCell(value: unknown): string {
  const text = neutral(textOf(value));
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function neutral(text: string): string {
  const within = text.replace(FORMULA_WITHIN, "$&'");
  return FORMULA.test(within) && !PLAIN_NUMBER.test(within) ? `'${within}` : within;
}

/** Texts as they are, nothing for null, and JSON for everything else. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
