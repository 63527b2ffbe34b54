import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { JobResource } from '@truetally/contracts/jobs';
import { request } from '@truetally/testing';
import { type Product } from '@truetally/testing-product';
import { dataOf, Publisher, row } from '../publisher/publisher.js';
import { statusUnlessStarved } from '../unless-starved.js';

/** As in the manifests: what does not fit must end no process there either. */
export const OLD_SPACE_MIB = { gateway: 384, 'publisher-analytics': 192, management: 192 };

const HEADER =
  'provider_transaction_id,click_reference,order_reference,status,commissionable_amount,commission_amount,currency,transaction_at,updated_at';
const TIMES = '2026-03-10T12:00:00Z,2026-03-10T12:00:00Z';
const GZIP = { 'content-encoding': 'gzip' };
/** Of the tenant who sends events meanwhile. */
const PAUSE_MS = 100;
const TOO_LONG = 'must be at most 1024 characters';

interface Content {
  readonly rows: number;
  /** Of each row. */
  readonly reference: string;
}

/** Rows with a click reference, compressed: some ten kilobytes. */
function fileOf({ rows, reference }: Content): Uint8Array<ArrayBuffer> {
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

    /** Uploads four files at once, two for each workspace, while another tenant sends events. @returns their jobs' ends */
    async function uploadWhileOthersSend(files: readonly Content[]): Promise<readonly JobResource[]> {
      const bytesOf = new Map([...new Set(files)].map((file) => [file, fileOf(file)]));
      const statuses: number[] = [];
      let isUploading = true;
      const others = (async () => {
        while (isUploading) {
          statuses.push(await statusUnlessStarved(() => sendEvent(statuses.length)));
          await pause(PAUSE_MS);
        }
      })();
      const taken = await Promise.all(
        publishers.flatMap((publisher, n) =>
          files.slice(2 * n, 2 * n + 2).map(async (file, which) => {
            const answer = await publisher.upload(which === 0 ? 'awin' : 'cj', bytesOf.get(file) ?? '', GZIP);
            return { publisher, jobId: dataOf(answer).job_id };
          }),
        ),
      ).finally(() => {
        isUploading = false;
      });
      await others;
      expect(statuses.length).toBeGreaterThan(0);
      expect([...new Set(statuses)]).toEqual([201]);
      return Promise.all(taken.map(({ publisher, jobId }) => publisher.finished(jobId)));
    }

    const sendEvent = (n: number) =>
      request(`${product.baseUrl}/events/track`, {
        headers: { 'x-api-key': bystander.key },
        json: bystander.clickEvent({ reference: `other-${n}`, at: '2026-03-10T12:00:00Z' }),
      });

    it('references of 65,300 characters are the fault of their rows and end no process, also where they grow six times as JSON', async () => {
      const rows = 510;
      const growing = { rows, reference: '\u0001'.repeat(65_300) };
      const plain = { rows, reference: 'x'.repeat(65_300) };
      const jobs = await uploadWhileOthersSend([growing, growing, growing, plain]);
      for (const job of jobs) {
        expect(job).toMatchObject({ state: 'completed', done: rows, stored: 0, failed: rows });
        expect(job.errors[0]).toEqual({ row: 1, field: 'click_reference', message: TOO_LONG });
      }
    });

    it('the longest references that are allowed are imported, of characters with escapes and of four bytes each', async () => {
      const escaped = { rows: 7_000, reference: '\u0001'.repeat(1_024) };
      const wide = { rows: 7_500, reference: '🙂'.repeat(1_024) };
      const files = [escaped, wide, wide, escaped];
      const jobs = await uploadWhileOthersSend(files);
      for (const [n, job] of jobs.entries())
        expect(job).toMatchObject({ state: 'completed', stored: files[n]?.rows, failed: 0 });
    });

    it('a file that is larger once it is encoded is refused', async () => {
      const [publisher] = publishers;
      const answer = await publisher?.upload(
        'awin',
        fileOf({ rows: 30_000, reference: '\u0001'.repeat(1_024) }),
        GZIP,
      );
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
