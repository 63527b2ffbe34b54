import { expect, it } from '@jest/globals';
import { readCsvRows } from './read-csv-rows.js';
import { UploadRefusal } from './upload-refusal.js';

const HEADER =
  'provider_transaction_id,click_reference,status,commissionable_amount,commission_amount,currency,transaction_at,updated_at\n';

it.each([
  ['unknown columns', ['a,b,c\n', 'd,e,f\n']],
  ['too many columns', [`${'a,'.repeat(300)}\n`, 'd,e,f\n']],
  ['a header that never ends', ['x'.repeat(70_000), 'd,e,f\n']],
  ['a quote that is not closed', [`${HEADER}"${'x'.repeat(70_000)}`, 'd,e,f\n']],
])('a file that is refused for %s is read no further, and closed', async (_what, pieces) => {
  let [isClosed, read] = [false, 0];
  async function* text(): AsyncGenerator<string> {
    try {
      for (const piece of pieces) {
        read += 1;
        yield await Promise.resolve(piece);
      }
    } finally {
      isClosed = true;
    }
  }
  const rows = async (): Promise<void> => {
    const file = await readCsvRows(text(), 'awin');
    for await (const row of file.rows) expect(row).toBeDefined();
  };
  await expect(rows()).rejects.toThrow(UploadRefusal);
  expect([read, isClosed]).toEqual([1, true]);
});

it.each([';', '\t', ','])(
  'empty lines before a header say nothing about the delimiter %j',
  async (delimiter) => {
    const text = `\r\n\n${HEADER.replaceAll(',', delimiter)}T-1\n`;
    async function* pieces(): AsyncGenerator<string> {
      for (const piece of text) yield await Promise.resolve(piece);
    }
    const { rows } = await readCsvRows(pieces(), 'awin');
    const read: unknown[] = [];
    for await (const row of rows) read.push(row);
    expect(read).toEqual([{ row: 1, errors: { '': ['has 1 columns, and the header has 8'] } }]);
  },
);
