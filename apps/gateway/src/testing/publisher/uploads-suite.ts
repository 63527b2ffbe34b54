import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { UPLOADS_FOLDER } from '@truetally/contracts/publisher';
import { eventually } from '@truetally/testing';
import type { Product } from '@truetally/testing-product';
import { dataOf, Publisher, row } from './publisher.js';

const HEADER =
  'provider_transaction_id,click_reference,order_reference,status,commissionable_amount,commission_amount,currency,transaction_at,updated_at';
const TIMES = '2026-03-10T12:00:00Z,2026-03-10T12:00:00Z';
const MARCH = { from: '2026-03-01', to: '2026-04-01' };

export function whatIsUploaded(product: () => Product): void {
  describe('what is uploaded', () => {
    let publisher: Publisher;

    beforeAll(async () => {
      publisher = await Publisher.open(product());
    });

    const take = async (
      body: Parameters<Publisher['upload']>[1],
      headers = {},
      network: 'awin' | 'cj' = 'awin',
    ) => publisher.finished(dataOf(await publisher.upload(network, body, headers)).job_id);
    const kept = async (id: string, network: 'awin' | 'cj' = 'awin') =>
      (await publisher.settlements(network)).find((one) => one.provider_transaction_id === id);

    it.each([
      ['as it stands', `${HEADER}\nplain,,,pending,10.5,0.10,EUR,${TIMES}\n`, 'plain'],
      [
        'with a byte order mark and CRLF',
        `\ufeff${HEADER}\r\nbom,,,pending,10.5,0.10,EUR,${TIMES}\r\n`,
        'bom',
      ],
      ['with CR alone', `${HEADER}\rclassic,,,pending,10.5,0.10,EUR,${TIMES}\r`, 'classic'],
      ['with tabs', `${HEADER}\ntabs,,,pending,10.5,0.10,EUR,${TIMES}`.replaceAll(',', '\t'), 'tabs'],
      ['with empty lines', `${HEADER}\n\nspaced,,,pending,10.5,0.10,EUR,${TIMES}\n\n`, 'spaced'],
      ['with letters of every script', `${HEADER}\nøß漢🙂,,,pending,10.5,0.10,EUR,${TIMES}`, 'øß漢🙂'],
      ['without a line end', `${HEADER}\nopen,,,pending,10.5,0.10,EUR,${TIMES}`, 'open'],
      [
        'with quotes',
        `${HEADER}\n"quoted","a ""b"", c","line\nend",pending,"10.5",0.10,EUR,${TIMES}`,
        'quoted',
      ],
      [
        'with semicolons',
        `${HEADER}\nsemicolons,,,pending,10.5,0.10,EUR,${TIMES}`.replaceAll(',', ';'),
        'semicolons',
      ],
      [
        'with columns in another order, and others besides',
        `note,currency,status,provider_transaction_id,commission_amount,commissionable_amount,updated_at,transaction_at\nx,EUR,pending,ordered,0.10,10.5,${TIMES}`,
        'ordered',
      ],
    ])('a CSV file %s', async (_how, file, id) => {
      expect(await take(file)).toMatchObject({ state: 'completed', total: 1, done: 1, stored: 1, failed: 0 });
      expect(await kept(id)).toMatchObject({
        status: 'pending',
        commissionable_amount: '10.50',
        commission_amount: '0.10',
        currency: 'EUR',
      });
    });

    it('the export of each network, in its own words', async () => {
      const awin =
        'Transaction ID,Click Ref,Commission Status,Sale Amount,Commission Amount,Currency,Transaction Date,Validation Date\nexport-1,ref,Deleted,100.00,5.00,GBP,2026-03-10 12:00:00,2026-03-11 12:00:00';
      const cj =
        'Commission ID,SID,Action Status,Sale Amount (USD),Pub Commission Amount (USD),Event Date,Posting Date\nexport-2,ref,locked,100.00,7.781,2026-03-10T12:00:00Z,2026-03-11T12:00:00Z';
      await take(awin);
      await take(cj, {}, 'cj');
      expect(await kept('export-1')).toMatchObject({
        status: 'reversed',
        currency: 'GBP',
        updated_at: '2026-03-11T12:00:00.000Z',
      });
      expect(await kept('export-2', 'cj')).toMatchObject({
        status: 'approved',
        currency: 'USD',
        commission_amount: '7.78',
      });
    });

    it('JSON, with every digit of a number', async () => {
      const text = JSON.stringify({ rows: [row({ provider_transaction_id: 'json', commission_amount: 0 })] });
      const body = text.replace('"commission_amount":0', '"commission_amount":90071992547409.93');
      await take(body, { 'content-type': 'application/json' });
      expect(await kept('json')).toMatchObject({ commission_amount: '90071992547409.93' });
    });

    it('JSON with a byte order mark and members that are no field of a row', async () => {
      const body = `\ufeff${JSON.stringify({ rows: [row({ provider_transaction_id: 'marked', note: 'x' })] })}`;
      await take(body, { 'content-type': 'application/json; charset=utf-8' });
      expect(await kept('marked')).toMatchObject({ status: 'pending' });
    });

    it.each([
      ['gzip', gzipSync],
      ['br', brotliCompressSync],
    ] as const)('compressed with %s', async (encoding, compress) => {
      const file = compress(`${HEADER}\n${encoding},,,pending,10.5,0.10,EUR,${TIMES}`);
      await take(new Uint8Array(file), { 'content-encoding': encoding });
      expect(await kept(encoding)).toMatchObject({ status: 'pending' });
    });

    it('a line of another length than the header stops no other', async () => {
      const lines = [
        HEADER,
        `whole-1,,,pending,10.5,0.10,EUR,${TIMES}`,
        'short,,',
        `long,,,pending,10.5,0.10,EUR,${TIMES},more`,
        `whole-2,,,pending,10.5,0.10,EUR,${TIMES}`,
      ];
      const job = await take(lines.join('\n'));
      expect(job).toMatchObject({ total: 4, done: 4, stored: 2, failed: 2 });
      expect(job.errors).toEqual([
        { row: 2, field: null, message: 'has 3 columns, and the header has 9' },
        { row: 3, field: null, message: 'has 10 columns, and the header has 9' },
      ]);
    });

    it('a row that is wrong stops no other, and is named by its number and field, never by what it holds', async () => {
      const rows = [
        row(),
        row({ provider_transaction_id: '' }),
        row({ status: 'paid' }),
        row({ commission_amount: '1.500,00' }),
        row({ commission_amount: '5.001' }),
        row({ commissionable_amount: '-1.00' }),
        row({ currency: 'eur' }),
        row({ transaction_at: '2026-03-10' }),
        row({ updated_at: '2999-01-01T00:00:00Z' }),
        'secret',
        row({ provider_transaction_id: 'x'.repeat(257) }),
        row({ click_reference: 'secret\0' }),
        row({ order_reference: ['secret'] }),
        row({ transaction_at: '2026-02-30T12:00:00Z', status: 'secret' }),
        row(),
      ];
      const job = await take({ rows });
      expect(job).toMatchObject({ state: 'completed', total: 15, done: 15, stored: 2, failed: 13 });
      expect(job.errors.map(({ row: number, field }) => [number, field])).toEqual([
        [2, 'provider_transaction_id'],
        [3, 'status'],
        [4, 'commission_amount'],
        [5, 'commission_amount'],
        [6, 'commissionable_amount'],
        [7, 'currency'],
        [8, 'transaction_at'],
        [9, 'updated_at'],
        [10, null],
        [11, 'provider_transaction_id'],
        [12, 'click_reference'],
        [13, 'order_reference'],
        [14, 'status'],
        [14, 'transaction_at'],
      ]);
      expect(job.errors[2]?.message).toContain('decimal point');
      expect(JSON.stringify(job)).not.toMatch(/1\.500|secret|paid/);
    });

    it('a file twice is one, and what is older changes nothing', async () => {
      const rows = [
        row({ provider_transaction_id: 'twice', status: 'approved', updated_at: '2026-03-12T00:00:00Z' }),
      ];
      await take({ rows });
      const { text } = await publisher.report(MARCH);
      await take({ rows });
      await take({ rows: [row({ provider_transaction_id: 'twice', updated_at: '2026-03-11T00:00:00Z' })] });
      const other = row({
        provider_transaction_id: 'twice',
        status: 'declined',
        updated_at: '2026-03-12T00:00:00Z',
      });
      expect(await take({ rows: [other] })).toMatchObject({
        failed: 1,
        errors: [{ row: 1, field: 'updated_at' }],
      });
      const reportOf = (answer: string): unknown => (JSON.parse(answer) as { data: unknown }).data;
      expect(reportOf((await publisher.report(MARCH)).text)).toEqual(reportOf(text));
      const settlement = await kept('twice');
      expect(settlement).toMatchObject({ status: 'approved' });
      expect(settlement?.history.map(({ status }) => status)).toEqual(['pending', 'approved']);
    });

    it('the same request again is the same job', async () => {
      const headers = { 'idempotency-key': 'upload-1' };
      const body = { rows: [row({ provider_transaction_id: 'idempotent' })] };
      const first = await publisher.upload('awin', body, headers);
      const again = await publisher.upload('awin', body, headers);
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([202, 'true']);
      expect(again.body.data).toEqual(first.body.data);
      expect((await publisher.upload('awin', { rows: [] }, headers)).status).toBe(409);
    });

    it('a file of which nothing became, or everything has, is in the store no longer', async () => {
      const folder = join(product().installation.mediaDirectory, UPLOADS_FOLDER);
      const before = await readdir(folder);
      const headers = { 'idempotency-key': 'upload-2' };
      await take({ rows: [row({ provider_transaction_id: 'gone' })] }, headers);
      expect((await publisher.upload('awin', { rows: [] }, headers)).status).toBe(409);
      await eventually(async () => (await readdir(folder)).every((name) => before.includes(name)));
    });

    it.each([
      ['a header that lacks a column', 'a,b\n1,2', {}, 400, 'provider_transaction_id'],
      ['an empty file', '', {}, 400, 'header'],
      ['a quote that is never closed', `${HEADER}\n"x,,,pending,1,1,EUR,${TIMES}`, {}, 400, 'body'],
      ['broken JSON', '{"rows":[{"a":1},]}', { 'content-type': 'application/json' }, 400, 'rows.1'],
      ['half of a JSON body', '{"rows":[{"a":1}', { 'content-type': 'application/json' }, 400, 'body'],
      ['a member twice', '{"rows":[{"a":1,"a":2}]}', { 'content-type': 'application/json' }, 400, 'rows.0'],
      ['a list without its object', '[]', { 'content-type': 'application/json' }, 400, 'body'],
      ['what is no file of this compression', `${HEADER}\n`, { 'content-encoding': 'gzip' }, 400, undefined],
      [
        'compressed text behind compressed text',
        new Uint8Array(
          Buffer.concat(
            [`${HEADER}\n`, `x,,,pending,1,1,EUR,${TIMES}\n`].map((text) => brotliCompressSync(text)),
          ),
        ),
        { 'content-encoding': 'br' },
        400,
        undefined,
      ],
      ['another compression', `${HEADER}\n`, { 'content-encoding': 'deflate' }, 415, undefined],
      ['another encoding', `${HEADER}\n`, { 'content-type': 'text/csv; charset=latin1' }, 415, undefined],
      [
        'a bomb',
        new Uint8Array(gzipSync(`${HEADER}${'\n'.repeat(34_000_000)}`)),
        { 'content-encoding': 'gzip' },
        413,
        undefined,
      ],
      ['another member', '{"lines":[]}', { 'content-type': 'application/json' }, 400, 'lines'],
      ['an object without rows', '{}', { 'content-type': 'application/json' }, 400, 'rows'],
      ['other bytes than UTF-8', new Uint8Array([0x61, 0xff, 0xfe]), {}, 400, undefined],
      ['another type', 'x', { 'content-type': 'application/xml' }, 415, undefined],
      ['too many bytes', 'a'.repeat(33 * 1024 * 1024), {}, 413, undefined],
    ])('%s is refused at once', async (_what, body, headers, status, field) => {
      const answer = await publisher.upload('awin', body, headers);
      expect(answer.status).toBe(status);
      if (field !== undefined) expect(Object.keys(answer.body.error?.details ?? {})).toContain(field);
    });

    it('more than 100,000 rows are refused, and as many are taken in', async () => {
      // A thousand transactions, each repeated a hundred times: every row is validated, and few are written.
      const line = (n: number): string => `many-${n % 1_000},,,pending,1.00,0.10,EUR,${TIMES}\n`;
      const lines = Array.from({ length: 100_000 }, (_, n) => line(n)).join('');
      const refused = await publisher.upload('cj', `${HEADER}\n${lines}${line(100_000)}`);
      expect([refused.status, Object.keys(refused.body.error?.details ?? {})]).toEqual([400, ['rows']]);
      const job = await take(`${HEADER}\n${lines}`, {}, 'cj');
      expect(job).toMatchObject({
        state: 'completed',
        total: 100_000,
        done: 100_000,
        stored: 100_000,
        failed: 0,
      });
      const stored = await publisher.settlements('cj');
      expect(stored.every(({ history }) => history.length === 1)).toBe(true);
      const again = await take(`${HEADER}\n${lines.slice(0, line(0).length)}`, {}, 'cj');
      expect(again).toMatchObject({ stored: 1, failed: 0 });
    });
  });
}
