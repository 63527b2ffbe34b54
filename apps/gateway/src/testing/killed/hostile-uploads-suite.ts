import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { request } from '@truetally/testing';
import { type Product } from '@truetally/testing-product';
import { dataOf, Publisher, row } from '../publisher/publisher.js';

/** As in the manifests: what does not fit must end no process there either. */
export const OLD_SPACE_MIB = { gateway: 384, 'publisher-analytics': 192, management: 192 };

const HEADER =
  'provider_transaction_id,click_reference,order_reference,status,commissionable_amount,commission_amount,currency,transaction_at,updated_at';
const TIMES = '2026-03-10T12:00:00Z,2026-03-10T12:00:00Z';
const GZIP = { 'content-encoding': 'gzip' };
/** Of the tenant who sends events meanwhile. */
const PAUSE_MS = 20;
const TOO_LONG = 'must be at most 1024 characters';

/** Rows with a click reference, compressed: some ten kilobytes. */
function fileOf(rows: number, reference: string): Uint8Array<ArrayBuffer> {
  const name = randomUUID();
  const line = (n: number): string => `${name}-${n},${reference},,pending,1.00,0.10,EUR,${TIMES}\n`;
  const lines = Array.from({ length: rows }, (_, n) => line(n)).join('');
  return new Uint8Array(gzipSync(`${HEADER}\n${lines}`));
}

/** Needs those services in processes of their own. */
export function whatExpands(launched: () => Product): void {
  describe('uploads that expand', () => {
    let product: Product;
    let bystander: Publisher;
    let publishers: readonly Publisher[];

    beforeAll(async () => {
      product = launched();
      bystander = await Publisher.open(product);
      publishers = [await Publisher.open(product), await Publisher.open(product)];
    });

    /** Uploads a file four times at once, from two workspaces, while another tenant sends events. */
    async function uploadWhileOthersSend(file: Uint8Array<ArrayBuffer>): Promise<readonly string[]> {
      const statuses: number[] = [];
      let isUploading = true;
      const others = (async () => {
        while (isUploading) {
          statuses.push((await sendEvent(statuses.length)).status);
          await pause(PAUSE_MS);
        }
      })();
      const uploads = publishers.flatMap((publisher) =>
        (['awin', 'cj'] as const).map((network) => publisher.upload(network, file, GZIP)),
      );
      const answers = await Promise.all(uploads).finally(() => {
        isUploading = false;
      });
      await others;
      expect(statuses.length).toBeGreaterThan(0);
      expect([...new Set(statuses)]).toEqual([201]);
      return answers.map((answer) => dataOf(answer).job_id);
    }

    const sendEvent = (n: number) =>
      request(`${product.baseUrl}/events/track`, {
        headers: { 'x-api-key': bystander.key },
        json: bystander.clickEvent({ reference: `other-${n}`, at: '2026-03-10T12:00:00Z' }),
      });

    const finished = (jobs: readonly string[]) =>
      Promise.all(jobs.map((job, n) => publishers[Math.floor(n / 2)]?.finished(job)));

    it.each([
      ['six times when it is written as JSON', '\u0001'.repeat(65_300), 510],
      ['not when it is written', 'x'.repeat(65_300), 510],
    ])(
      'a reference of 65,300 characters that grows %s is the fault of its row, and no process ends',
      async (_how, reference, rows) => {
        const jobs = await finished(await uploadWhileOthersSend(fileOf(rows, reference)));
        for (const job of jobs) {
          expect(job).toMatchObject({ state: 'completed', done: rows, stored: 0, failed: rows });
          expect(job?.errors[0]).toEqual({ row: 1, field: 'click_reference', message: TOO_LONG });
        }
      },
    );

    it.each([
      ['with escapes', '\u0001'.repeat(1_024), 7_000],
      ['of two bytes each', '\u0416'.repeat(1_024), 15_000],
    ])(
      'the longest references that are allowed, of characters %s, are imported',
      async (_of, reference, rows) => {
        const jobs = await finished(await uploadWhileOthersSend(fileOf(rows, reference)));
        for (const job of jobs) expect(job).toMatchObject({ state: 'completed', stored: rows, failed: 0 });
      },
    );

    it('a file that is larger once it is encoded is refused', async () => {
      const [publisher] = publishers;
      const answer = await publisher?.upload('awin', fileOf(30_000, '\u0001'.repeat(1_024)), GZIP);
      expect(answer?.status).toBe(413);
    });

    it.each([
      ['commas', ',', 400],
      ['empty lines', '\n', 413],
      ['digits', '1', 400],
      ['quotes', '"', 400],
    ])(
      '32 MiB of %s behind a header are refused as soon as no row can need them',
      async (_of, unit, status) => {
        const [publisher] = publishers;
        const body = new Uint8Array(gzipSync(`${HEADER}\n${unit.repeat(32 * 1024 * 1024 - 1_000)}`));
        expect((await publisher?.upload('awin', body, GZIP))?.status).toBe(status);
      },
    );

    it('32 MiB of white space in a JSON body are refused', async () => {
      const [publisher] = publishers;
      const body = new Uint8Array(gzipSync(`{"rows":[${' '.repeat(32 * 1024 * 1024 - 1_000)}]}`));
      const answer = await publisher?.upload('awin', body, { ...GZIP, 'content-type': 'application/json' });
      expect(answer?.status).toBe(413);
    });

    it('a header has at most 200 columns', async () => {
      const [publisher] = publishers;
      const more = (count: number): string => Array.from({ length: count }, (_, n) => `,c${n}`).join('');
      const line = `wide,,,pending,1.00,0.10,EUR,${TIMES}`;
      const taken = await publisher?.upload('awin', `${HEADER}${more(191)}\n${line}${more(191)}\n`);
      expect(taken?.status).toBe(202);
      const refused = await publisher?.upload('awin', `${HEADER}${more(192)}\n`);
      expect([refused?.status, refused?.body.error?.details]).toEqual([
        400,
        { header: ['must name at most 200 columns'] },
      ]);
    });

    it('texts and structures of JSON rows that no field takes are never kept', async () => {
      const [publisher] = publishers;
      const rows = [
        row({ click_reference: '\u0001'.repeat(1_025) }),
        row({ order_reference: 'x'.repeat(257), status: 's'.repeat(257) }),
        row({ order_reference: JSON.parse('['.repeat(200) + ']'.repeat(200)) as unknown }),
        row({ click_reference: '🙂'.repeat(1_024) }),
      ];
      const body = JSON.stringify({ rows }).replace('"100.00"', `1.${'0'.repeat(300)}`);
      const taken = await publisher?.upload('cj', body, { 'content-type': 'application/json' });
      const job = taken === undefined ? undefined : await publisher?.finished(dataOf(taken).job_id);
      expect(job).toMatchObject({ total: 4, stored: 1, failed: 3 });
      expect(job?.errors.map(({ row: number, field }) => [number, field]).sort()).toEqual([
        [1, 'click_reference'],
        [1, 'commissionable_amount'],
        [2, 'order_reference'],
        [2, 'status'],
        [3, 'order_reference'],
      ]);
    });
  });
}
