import { expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MediaResource } from '@truetally/contracts/management';
import { type Answer, eventually, request } from '@truetally/testing';
import type { Product } from '@truetally/testing-product';
import { Merchant } from '../merchant.js';
import { queryProduct } from '../query-product.js';
import { FORM_TYPE, fileForm } from '../form.js';
import { pictureFiles } from '../pictures.js';

const PICTURES = 12;

type Send = (bytes: Uint8Array, key?: string) => Promise<Answer<MediaResource>>;

const sender =
  ({ baseUrl }: Product, { token }: Merchant): Send =>
  (bytes, key = randomUUID()) =>
    request(`${baseUrl}/media`, {
      method: 'POST',
      body: fileForm(bytes),
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': FORM_TYPE,
        'idempotency-key': key,
      },
      timeoutMs: 240_000,
    });

/** Needs the only management in a process of its own. */
export function whatPicturesSurvive(launched: () => Product): void {
  it('a picture without its store is 503, and neither process suffers from it', async () => {
    const product = launched();
    const merchant = await Merchant.join(product);
    const send = sender(product, merchant);
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
}

/** More concurrent uploads than one workspace may have: some are answered with Retry-After, and sent again. */
export class PicturesUnderWay {
  private constructor(
    private readonly product: Product,
    private readonly created: () => Promise<readonly MediaResource[]>,
    private readonly first: Promise<readonly MediaResource[]>,
  ) {}

  /** Returns while management works on them. */
  static async begin(product: Product): Promise<PicturesUnderWay> {
    const send = sender(product, await Merchant.join(product));
    const sent = Array.from({ length: PICTURES }, () => ({
      key: randomUUID(),
      bytes: pictureFiles.unique(),
    }));
    const untilCreated = ({ key, bytes }: { key: string; bytes: Uint8Array }): Promise<MediaResource> =>
      eventually(async () => {
        const { status, body } = await send(bytes, key);
        return status === 201 && body.data;
      });
    const created = (): Promise<readonly MediaResource[]> => Promise.all(sent.map(untilCreated));
    const pictures = new PicturesUnderWay(product, created, created());
    await eventually(() => pictures.filesIn('incoming').length > 0 || pictures.filesIn('media').length > 4);
    return pictures;
  }

  async expectEachOnce(): Promise<void> {
    for (const { url } of await this.first) expect((await fetch(url)).status).toBe(200);
    const again = await this.created();
    const rows = await queryProduct<{ file: string; count: number }>(
      this.product,
      'management',
      'select file, count(*)::integer as count from media where file = any ($1) group by file',
      [again.map(({ url }) => url.split('/').at(-1))],
    );
    expect(rows.map(({ count }) => count)).toEqual(Array(PICTURES).fill(1));
    await eventually(() => this.filesIn('incoming').length === 0);
  }

  private filesIn(folder: string): readonly string[] {
    const path = join(this.product.installation.mediaDirectory, folder);
    return existsSync(path) ? readdirSync(path) : [];
  }
}
