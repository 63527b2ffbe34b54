import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MediaResource } from '@truetally/contracts/management';
import { type Answer, eventually, request } from '@truetally/testing';
import { type LaunchedProduct } from '@truetally/testing-product';
import { Merchant } from '../merchant.js';
import { queryProduct } from '../query-product.js';
import { FORM_TYPE, fileForm } from '../form.js';
import { pictureFiles } from '../pictures.js';

/** Needs the only management in a process of its own. */
export function whatPicturesSurvive(launched: () => LaunchedProduct): void {
  describe('media while something is away', () => {
    let product: LaunchedProduct;
    let merchant: Merchant;

    beforeAll(async () => {
      product = launched();
      merchant = await Merchant.join(product);
    });

    const send = (bytes: Uint8Array, key: string = randomUUID()): Promise<Answer<MediaResource>> =>
      request(`${product.baseUrl}/media`, {
        method: 'POST',
        body: fileForm(bytes),
        headers: {
          authorization: `Bearer ${merchant.token}`,
          'content-type': FORM_TYPE,
          'idempotency-key': key,
        },
        timeoutMs: 240_000,
      });

    const filesIn = (folder: string): readonly string[] => {
      const path = join(product.installation.mediaDirectory, folder);
      return existsSync(path) ? readdirSync(path) : [];
    };

    it('a picture without its store is 503, and neither process suffers from it', async () => {
      const url = String((await send(pictureFiles.png())).body.data?.url);
      const { mediaDirectory } = product.installation;
      renameSync(mediaDirectory, `${mediaDirectory}.away`);
      writeFileSync(mediaDirectory, 'no folder');
      const refused = await send(pictureFiles.png());
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
      expect((await request(url)).status).toBe(503);
      expect((await merchant.get('media')).status).toBe(200);
      rmSync(mediaDirectory);
      renameSync(`${mediaDirectory}.away`, mediaDirectory);
      expect((await fetch(url)).status).toBe(200);
      expect((await send(pictureFiles.gif())).status).toBe(201);
    });

    it('a management service that is killed over its pictures has made each once in the end', async () => {
      const sent = Array.from({ length: 12 }, () => ({ key: randomUUID(), bytes: pictureFiles.unique() }));
      const answers = sent.map(({ key, bytes }) => untilCreated(bytes, key));
      await eventually(() => filesIn('incoming').length > 0 || filesIn('media').length > 4);
      await product.management.kill();
      await product.management.restart();
      for (const answer of await Promise.all(answers)) {
        expect((await fetch(String(answer.body.data?.url))).status).toBe(200);
      }
      // More concurrent uploads than one workspace may have: some are answered with Retry-After.
      const urls = await Promise.all(
        sent.map(async ({ key, bytes }) => (await untilCreated(bytes, key)).body.data?.url),
      );
      const rows = await queryProduct<{ file: string; count: number }>(
        product,
        'management',
        'select file, count(*)::integer as count from media where file = any ($1) group by file',
        [urls.map((url) => url?.split('/').at(-1))],
      );
      expect(rows.map(({ count }) => count)).toEqual(Array(12).fill(1));
      await eventually(() => filesIn('incoming').length === 0);
    });

    /** Retries after the time in Retry-After. */
    async function untilCreated(bytes: Uint8Array, key: string): Promise<Answer<MediaResource>> {
      return eventually(async () => {
        const answer = await send(bytes, key);
        return answer.status === 201 && answer;
      });
    }
  });
}
