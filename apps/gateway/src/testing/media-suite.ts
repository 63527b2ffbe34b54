import { beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { MediaResource } from '@truetally/contracts/management';
import { type Answer, eventually, request } from '@truetally/testing';
import type { Product } from '@truetally/testing-product';
import { BOUNDARY, FORM_TYPE, fileForm, formOf } from './form.js';
import { Merchant } from './merchant.js';
import { pictureFiles } from './pictures.js';
import { open } from './raw-http.js';

const LIMIT_BYTES = 10 * 1024 * 1024;

/** @param kind where the product keeps its media */
export function whatMediaAre(kind: 'disk' | 's3', launched: () => Product): void {
  describe(`interface page, section 9: media on ${kind}`, () => {
    let product: Product;
    let merchant: Merchant;
    let outsider: Merchant;

    beforeAll(async () => {
      product = launched();
      [merchant, outsider] = await Promise.all([Merchant.join(product), Merchant.join(product)]);
    });

    const send = (
      body: Uint8Array<ArrayBuffer>,
      headers: Readonly<Record<string, string>> = {},
      who = merchant,
    ): Promise<Answer<MediaResource>> =>
      request(`${product.baseUrl}/media`, {
        method: 'POST',
        body,
        headers: {
          authorization: `Bearer ${who.token}`,
          'x-workspace-id': who.workspaceId,
          'content-type': FORM_TYPE,
          ...headers,
        },
      });

    async function created(bytes: Uint8Array, who = merchant): Promise<MediaResource> {
      const answer = await send(fileForm(bytes), {}, who);
      if (answer.status !== 201 || answer.body.data === undefined) throw new Error(answer.text);
      return answer.body.data;
    }

    /** Of the shared product also those of other suites, which come and go. */
    const filesIn = (folder: string): readonly string[] => {
      const path = join(product.installation.mediaDirectory, folder);
      return existsSync(path) ? readdirSync(path) : [];
    };

    it('a picture is sent, and anybody reads it under an address that never changes', async () => {
      const answer = await send(fileForm(pictureFiles.png()));
      expect(answer.status).toBe(201);
      expect(answer.headers.get('etag')).toBe('"1"');
      const media = answer.body.data;
      expect(media).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        url: expect.stringMatching(new RegExp(`^${product.baseUrl}/public/media/[0-9a-f]{64}\\.png$`)),
        width: 4,
        height: 2,
        bytes: expect.any(Number),
        content_type: 'image/png',
        version: 1,
        created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
        updated_at: media?.created_at,
      });
      const file = await fetch(String(media?.url));
      const bytes = Buffer.from(await file.arrayBuffer());
      expect([file.status, bytes.length]).toEqual([200, media?.bytes]);
      const name = String(media?.url.split('/').at(-1));
      // The URL includes the workspace: with the content alone, everybody could find out who else has this picture.
      expect(name).not.toBe(`${createHash('sha256').update(bytes).digest('hex')}.png`);
      expect(Object.fromEntries(file.headers)).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-type': 'image/png',
        'content-length': String(bytes.length),
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'cross-origin',
        'access-control-allow-origin': '*',
        etag: `"${name}"`,
      });
      expect((await merchant.get(`media/${media?.id}`)).body.data).toEqual(media);
    });

    it('its file is not sent again to a client that has it, and HEAD has its length', async () => {
      const { url, bytes } = await created(pictureFiles.gif());
      const head = await fetch(url, { method: 'HEAD' });
      const etag = String(head.headers.get('etag'));
      expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes)]);
      for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await fetch(url, { headers: { 'if-none-match': tag } });
        expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
      }
      expect((await fetch(url, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
    });

    it.each([
      ['0'.repeat(64) + '.png', 404],
      ['0'.repeat(64) + '.svg', 404],
      ['..%2f..%2fstack.json', 404],
      ['%2e%2e', 404],
      ['.drafts', 404],
      ['x.png', 404],
    ])('there is no file %s', async (name, status) => {
      const answer = await request(`${product.baseUrl}/public/media/${name}`);
      expect([answer.status, answer.body.error?.code]).toEqual([status, 'NOT_FOUND']);
    });

    it('the content determines the type, whatever the sender declares', async () => {
      const part = { name: 'file', fileName: 'evil.html', content: pictureFiles.jpg() };
      const answer = await send(formOf(part));
      expect(answer.body.data).toMatchObject({ content_type: 'image/jpeg', width: 4, height: 2 });
      expect(answer.body.data?.url).toMatch(/\.jpg$/);
    });

    it.each<[string, () => Uint8Array, RegExp]>([
      [
        'SVG',
        () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
        /^must be a PNG, JPEG, WebP or GIF/,
      ],
      ['a page', () => Buffer.from('<!doctype html><script>alert(1)</script>'), /^must be a PNG/],
      ['nothing', () => Buffer.alloc(0), /^must be a PNG/],
      [
        'a picture and an archive',
        () => Buffer.concat([pictureFiles.png(), Buffer.from('PK\x05\x06')]),
        /other data/,
      ],
      [
        'a picture and a page',
        () => Buffer.concat([pictureFiles.gif(), Buffer.from('<html>')]),
        /other data/,
      ],
      ['the half of a picture', () => pictureFiles.jpg().subarray(0, 200), /ends early/],
      ['a picture with other pixels than it says', () => pictureFiles.brokenPng(), /damaged|ends early/],
    ])('%s is refused with 400', async (_name, bytes, message) => {
      const answer = await send(fileForm(bytes()));
      expect([answer.status, answer.body.error?.code]).toEqual([400, 'VALIDATION_ERROR']);
      expect(answer.body.error?.details['file']).toEqual([expect.stringMatching(message)]);
    });

    it('a file of more than 10 MiB is 413', async () => {
      const answer = await send(fileForm(randomBytes(LIMIT_BYTES + 1)));
      expect([answer.status, answer.body.error]).toMatchObject([
        413,
        { code: 'BAD_REQUEST', details: { file: ['must be at most 10 MiB'] } },
      ]);
    });

    it('invalid fields are named, and a body that is no form is 415', async () => {
      const form = formOf({ name: 'title', content: 'x' });
      const wrong = await send(form);
      expect([wrong.status, wrong.body.error?.details]).toEqual([
        400,
        { title: ['is not a known field'], file: ['is required'] },
      ]);
      const broken = await send(fileForm('x').subarray(0, -9));
      expect([broken.status, broken.body.error?.code]).toEqual([400, 'BAD_REQUEST']);
      const json = await send(Buffer.from('{}'), { 'content-type': 'application/json' });
      expect([json.status, json.body.error?.code]).toEqual([415, 'BAD_REQUEST']);
    });

    it('a client that goes away leaves nothing behind', async () => {
      const socket = await open(product.baseUrl);
      const form = fileForm(randomBytes(3_000_000));
      const { pathname } = new URL(product.baseUrl);
      const lines = [
        `POST ${pathname}/media HTTP/1.1`,
        'Host: x',
        `Authorization: Bearer ${merchant.token}`,
        `X-Workspace-Id: ${merchant.workspaceId}`,
        `Content-Type: multipart/form-data; boundary=${BOUNDARY}`,
        `Content-Length: ${form.length}`,
        '',
        '',
      ];
      socket.write(lines.join('\r\n'));
      await new Promise((resolve) => socket.write(form.subarray(0, 2_000_000), resolve));
      if (kind === 'disk') await eventually(() => filesIn('.drafts').length > 0);
      socket.destroy();
      if (kind === 'disk') await eventually(() => filesIn('.drafts').length === 0);
      await eventually(() => filesIn('incoming').length === 0);
    });

    it('pictures are listed newest first, page by page', async () => {
      const lister = await Merchant.join(product);
      const sent = [];
      for (const name of ['png', 'jpg', 'webp', 'gif'] as const) {
        sent.push((await created(pictureFiles[name](), lister)).content_type);
      }
      const listed: string[] = [];
      let cursor = '';
      do {
        const page = await lister.get<{ items: MediaResource[]; next_cursor: string | null }>(
          `media?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`,
        );
        for (const item of page.body.data?.items ?? []) {
          expect(item.url).toMatch(/^http/);
          listed.push(item.content_type);
        }
        cursor = page.body.data?.next_cursor ?? '';
      } while (cursor !== '');
      expect(sent).toEqual(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);
      expect(listed).toEqual(sent.toReversed());
    });

    it('the file is deleted with the last picture of its workspace, whoever else has the same', async () => {
      const bytes = pictureFiles.unique();
      const mine = await created(bytes);
      const again = await created(bytes);
      const theirs = await created(bytes, outsider);
      expect(again.url).toBe(mine.url);
      expect(theirs.url).not.toBe(mine.url);
      expect(new Set([mine.id, again.id, theirs.id]).size).toBe(3);
      const remove = (who: Merchant, { id }: MediaResource): Promise<Answer<unknown>> =>
        who.delete(`media/${id}`);
      const first = await remove(merchant, mine);
      expect([first.status, first.body.data]).toEqual([200, { id: mine.id, deleted: true }]);
      expect((await merchant.get(`media/${mine.id}`)).status).toBe(404);
      expect((await remove(merchant, mine)).status).toBe(404);
      expect((await remove(merchant, theirs)).status).toBe(404);
      expect((await fetch(mine.url)).status).toBe(200);
      expect((await remove(merchant, again)).status).toBe(200);
      // The same picture in another workspace does not keep the file, which would reveal it.
      await eventually(async () => (await fetch(mine.url)).status === 404);
      expect((await fetch(theirs.url)).status).toBe(200);
      expect((await remove(outsider, theirs)).status).toBe(200);
      await eventually(async () => (await fetch(theirs.url)).status === 404);
      // And restored.
      expect((await fetch((await created(bytes)).url)).status).toBe(200);
    });

    it('the same picture, sent and deleted by many at the same time, is never without its file', async () => {
      const bytes = pictureFiles.unique();
      const rounds = Array.from({ length: 6 }, async () => {
        const media = await created(bytes);
        expect((await fetch(media.url)).status).toBe(200);
        expect((await merchant.delete(`media/${media.id}`)).status).toBe(200);
        const last = await created(bytes);
        return last.url;
      });
      for (const url of await Promise.all(rounds)) expect((await fetch(url)).status).toBe(200);
    });

    it('If-Match guards a deletion', async () => {
      const { id } = await created(pictureFiles.png());
      expect((await merchant.delete(`media/${id}`, { 'if-match': '"2"' })).status).toBe(409);
      expect((await merchant.delete(`media/${id}`, { 'if-match': '"1"' })).status).toBe(200);
    });

    it('there is no PATCH: 405', async () => {
      const { id } = await created(pictureFiles.png());
      const answer = await merchant.patch(`media/${id}`, { width: 1 });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, DELETE']);
    });

    it('analysts read and do not write; a picture of another workspace is 404', async () => {
      const analyst = await merchant.invite('analyst');
      const { id } = await created(pictureFiles.png());
      expect((await send(fileForm(pictureFiles.png()), {}, analyst)).status).toBe(403);
      expect((await analyst.get(`media/${id}`)).status).toBe(200);
      expect((await analyst.delete(`media/${id}`)).status).toBe(403);
      expect((await outsider.get(`media/${id}`)).status).toBe(404);
      const nobody = await request(`${product.baseUrl}/media`, {
        method: 'POST',
        body: fileForm('x'),
        headers: { 'content-type': FORM_TYPE },
      });
      expect(nobody.status).toBe(401);
    });

    describe('under an Idempotency-Key', () => {
      it('the same content again replays the first answer, other content is 409', async () => {
        const key = { 'idempotency-key': randomUUID() };
        const bytes = pictureFiles.png();
        const first = await send(fileForm(bytes), key);
        const again = await send(formOf({ name: 'file', fileName: 'renamed.png', content: bytes }), key);
        expect([first.status, again.status]).toEqual([201, 201]);
        expect(again.headers.get('idempotent-replayed')).toBe('true');
        expect(again.body.data).toEqual(first.body.data);
        const other = await send(fileForm(pictureFiles.gif()), key);
        expect([other.status, other.body.error?.code]).toEqual([409, 'CONFLICT']);
      });

      it('a refused picture is not kept: the right one may follow', async () => {
        const key = { 'idempotency-key': randomUUID() };
        expect((await send(fileForm('<svg/>'), key)).status).toBe(400);
        expect((await send(fileForm(pictureFiles.png()), key)).status).toBe(201);
        const broken = await send(fileForm('x'), { 'idempotency-key': 'k'.repeat(256) });
        expect(Object.keys(broken.body.error?.details ?? {})).toEqual(['Idempotency-Key']);
      });
    });

    it('the pictures of a deleted workspace go with it, and their files soon after', async () => {
      const leaving = await Merchant.join(product);
      const shared = pictureFiles.unique();
      const [own, common] = [await created(pictureFiles.unique(), leaving), await created(shared, leaving)];
      const staying = await created(shared);
      expect((await leaving.delete(`workspaces/${leaving.workspaceId}`)).status).toBe(200);
      for (const { url } of [own, common]) await eventually(async () => (await fetch(url)).status === 404);
      // The same picture in another workspace is a separate file.
      expect((await fetch(staying.url)).status).toBe(200);
    });

    it('nothing of the upload is left', async () => {
      await eventually(() => filesIn('incoming').length === 0 && filesIn('.drafts').length === 0);
    });
  });
}
