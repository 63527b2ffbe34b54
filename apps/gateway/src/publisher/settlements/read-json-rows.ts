import { SETTLEMENT_FIELDS, type UploadRow } from '@truetally/contracts/publisher';
import { BODY_PATH, isJsonObject } from '@truetally/contracts/validation';
import { readJson } from '@truetally/kernel';
import { type JsonFault, JsonRows } from './json-rows.js';
import { boundedRow, faultyRow } from './row-bounds.js';
import { UploadRefusal } from './upload-refusal.js';

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
    if (typeof rows === 'string') throw refusalOf(rows, row + 1);
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

function refusalOf(fault: JsonFault, row: number): UploadRefusal {
  switch (fault) {
    case 'unknown-member':
      return new UploadRefusal('broken-rules', { [BODY_PATH]: ['must have one member, rows'] });
    case 'blank':
      return new UploadRefusal('body-too-large');
    case 'too-long':
      return new UploadRefusal('broken-rules', { [`rows.${row - 1}`]: ['is longer than any row'] });
    case 'syntax':
      return new UploadRefusal('not-json', { [BODY_PATH]: ['must be { "rows": [ … ] }'] });
  }
}
