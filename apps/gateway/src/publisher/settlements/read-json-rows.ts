import { SETTLEMENT_FIELDS, type UploadRow } from '@truetally/contracts/publisher';
import { BODY_PATH, isJsonObject } from '@truetally/contracts/validation';
import { readJson } from '@truetally/kernel';
import { type JsonFault, JsonRows } from './json-rows.js';
import { boundedRow, faultyRow } from './row-bounds.js';
import { UploadRefusal } from './upload-refusal.js';

/** Of an unknown member's name in the answer. */
const MAX_NAME_CHARACTERS = 128;

/**
 * Reads `{ "rows": [ … ] }` row by row.
 * @throws UploadRefusal
 */
export async function* readJsonRows(text: AsyncIterable<string>): AsyncGenerator<UploadRow> {
  const body = new JsonRows();
  let row = 0;
  for await (const piece of text) {
    // Decoding has removed the byte order mark.
    const rows = body.push(piece);
    if (typeof rows === 'string') throw refusalOf(rows, body, row);
    for (const one of rows) {
      row += 1;
      yield readRow(one, row);
    }
  }
  if (!body.isWhole()) throw new UploadRefusal('not-json', { [BODY_PATH]: ['ends before its rows do'] });
}

function readRow(text: string, row: number): UploadRow {
  const json = readJson(text);
  if (!json.ok) {
    const name = json.error.kind === 'duplicate-member' ? 'duplicate-member' : 'not-json';
    throw new UploadRefusal(name, { [`rows.${row - 1}`]: [json.error.message] });
  }
  const { value } = json.value;
  if (!isJsonObject(value)) return faultyRow(row, 'must be an object with the fields of a row');
  const values = SETTLEMENT_FIELDS.map((field) => value[field] ?? null);
  return boundedRow(row, values);
}

function refusalOf(fault: JsonFault, body: JsonRows, rows: number): UploadRefusal {
  switch (fault) {
    case 'unknown-member':
      return new UploadRefusal('broken-rules', { [nameOf(body.unknownMember)]: ['is not a known field'] });
    case 'no-object':
      return new UploadRefusal('broken-rules', { [BODY_PATH]: ['must be an object'] });
    case 'no-rows':
      return new UploadRefusal('broken-rules', { rows: ['is required'] });
    case 'no-list':
      return new UploadRefusal('broken-rules', { rows: ['must be an array'] });
    case 'duplicate-member':
      return new UploadRefusal('duplicate-member', { rows: ['must not be named twice'] });
    case 'blank':
      return new UploadRefusal('body-too-large');
    case 'too-long':
      return new UploadRefusal('broken-rules', { [`rows.${rows}`]: ['is longer than any row'] });
    case 'syntax':
      return new UploadRefusal('not-json', { [BODY_PATH]: ['must be { "rows": [ … ] }'] });
  }
}

/** @param text of a member's name, with its quotes and escapes */
function nameOf(text: string): string {
  const name = readJson(text);
  return name.ok && typeof name.value.value === 'string'
    ? name.value.value.slice(0, MAX_NAME_CHARACTERS).toWellFormed()
    : BODY_PATH;
}
