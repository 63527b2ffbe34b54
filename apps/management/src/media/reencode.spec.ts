import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import type { Picture, PictureReply } from './picture-message.js';
import { bomb, noise, photo, pictures } from '../testing/pictures.js';
import { reencode } from './reencode.js';

describe('interface page, section 9: a picture is re-encoded', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'truetally-pictures-'));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function send(bytes: Uint8Array): Promise<{ readonly reply: PictureReply; readonly output: Buffer }> {
    const input = join(folder, randomUUID());
    const output = join(folder, randomUUID());
    writeFileSync(input, bytes);
    writeFileSync(output, '');
    const reply = await reencode({ input, output });
    return { reply, output: readFileSync(output) };
  }

  async function taken(bytes: Uint8Array): Promise<{ readonly picture: Picture; readonly output: Buffer }> {
    const { reply, output } = await send(bytes);
    if (!('picture' in reply)) throw new Error(JSON.stringify(reply));
    return { picture: reply.picture, output };
  }

  async function refusal(bytes: Uint8Array): Promise<string> {
    const { reply } = await send(bytes);
    if (!('refusal' in reply)) throw new Error(JSON.stringify(reply));
    return reply.refusal;
  }

  it.each([
    ['png', 'png'],
    ['jpg', 'jpg'],
    ['progressiveJpg', 'jpg'],
    ['webp', 'webp'],
    ['losslessWebp', 'webp'],
    ['gif', 'gif'],
  ] as const)('%s keeps its format, size and colours', async (name, extension) => {
    const { picture, output } = await taken(await pictures[name]());
    expect(picture).toEqual({
      extension,
      width: 32,
      height: 16,
      bytes: output.length,
      sha256: createHash('sha256').update(output).digest('hex'),
    });
    const { data } = await sharp(output).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    const [left, right] = [data.subarray(3 * 2, 3 * 3), data.subarray(3 * 29, 3 * 30)];
    for (const [channel, value] of [200, 30, 30].entries()) expect(near(left[channel], value)).toBe(true);
    for (const [channel, value] of [20, 20, 220].entries()) expect(near(right[channel], value)).toBe(true);
  });

  it('the same picture twice is the same file: its name is its content', async () => {
    const bytes = await pictures.png();
    expect((await taken(bytes)).picture).toEqual((await taken(bytes)).picture);
  });

  it('location, author, names and scripts are removed, and its orientation is applied', async () => {
    const original = await photo();
    const before = await sharp(original).metadata();
    expect([before.orientation, before.exif?.length, before.xmp?.length]).toEqual([
      6,
      expect.any(Number),
      expect.any(Number),
    ]);
    expect(original.includes('SecretMaker')).toBe(true);
    const { picture, output } = await taken(original);
    expect([picture.width, picture.height]).toEqual([16, 32]);
    const after = await sharp(output).metadata();
    expect([after.orientation, after.exif, after.xmp, after.icc, after.iptc]).toEqual(
      Array(5).fill(undefined),
    );
    for (const secret of ['Secret', 'Exif', 'script', 'xmpmeta', 'GPS']) {
      expect([secret, output.includes(secret)]).toEqual([secret, false]);
    }
    // Rotated to the right: the left side is now at the top.
    const { data } = await sharp(output).raw().toBuffer({ resolveWithObject: true });
    expect(near(data[3 * 16 * 2], 200)).toBe(true);
    expect(near(data[3 * 16 * 29], 20)).toBe(true);
  });

  it.each(['animatedGif', 'animatedWebp'] as const)(
    '%s keeps its frames, times and repetitions',
    async (name) => {
      const { picture, output } = await taken(await pictures[name]());
      expect([picture.width, picture.height]).toEqual([32, 16]);
      expect(await sharp(output, { animated: true }).metadata()).toMatchObject({
        pages: 3,
        delay: [100, 200, 300],
        loop: 2,
      });
    },
  );

  it('bombs are refused before they are unpacked', async () => {
    const beforeBytes = process.memoryUsage.rss();
    const bytes = await bomb(6_000, 5_000);
    expect(bytes.length).toBeLessThan(200_000);
    expect(await refusal(bytes)).toBe('must have at most 25,000,000 pixels, and 100,000,000 in all frames');
    expect(process.memoryUsage.rss() - beforeBytes).toBeLessThan(200 * 1024 * 1024);
  });

  it('an animation of very many frames is refused', async () => {
    const pixels = await Promise.all([0, 255].map((level) => pixel(level)));
    const frames = Array.from({ length: 1_001 }, (_, index) => pixels[index % 2] ?? '');
    const many = sharp(frames, { join: { animated: true } });
    expect(await refusal(await many.gif().toBuffer())).toBe('must have at most 1,000 frames');
  });

  it.each(['png', 'jpg', 'webp', 'gif'] as const)(
    '%s with damaged pixels is refused, without details',
    async (name) => {
      const bytes = Buffer.from(await pictures[name]());
      // The structure stays, and the content in between is removed.
      const start = { png: 33 + 8, jpg: bytes.indexOf(Buffer.from([0xff, 0xc4])) + 4, webp: 20, gif: 13 }[
        name
      ];
      const ruined = Buffer.concat([
        bytes.subarray(0, start),
        Buffer.alloc(24, 0x55),
        bytes.subarray(start + 24),
      ]);
      const { reply } = await send(ruined);
      if ('picture' in reply) return;
      expect(reply).toEqual({ refusal: expect.stringMatching(/^must be a (whole )?(PNG|picture)/) });
    },
  );

  it('a complete PNG with invalid pixel data is refused, and not retried', async () => {
    const reply = await refusal(withPixels(await pictures.png(), Buffer.from('these are no pixels')));
    expect(reply).toBe('must be a picture that can be read; this one is damaged');
  });

  it('a picture of another format than its first bytes is refused', async () => {
    const png = await pictures.png();
    const disguised = Buffer.concat([Buffer.from('GIF89a'), png.subarray(6)]);
    expect(await refusal(disguised)).toMatch(/^must be a/);
  });

  describe.each(['png', 'jpg', 'webp', 'gif'] as const)('a disk of ours is no fault of a %s', (name) => {
    it.each([
      ['is full', '/dev/full', /No space left/],
      ['has lost its folder', '/dev/shm/no-folder/output', /No such file/],
    ])('%s', async (_fault, output, failure) => {
      const input = join(folder, randomUUID());
      writeFileSync(input, await pictures[name]());
      expect(await reencode({ input, output })).toEqual({ failure: expect.stringMatching(failure) });
    });
  });

  it('a picture that is deleted before it is read counts as missing, not as invalid', async () => {
    const [input, output] = [join(folder, 'none'), join(folder, randomUUID())];
    expect(await reencode({ input, output })).toEqual({ failure: expect.stringMatching(/ENOENT/) });
  });

  it('an incompressible picture stays within its own bound', async () => {
    const { picture } = await taken(await noise(1_500, 1_500));
    expect(picture.bytes).toBeLessThan(10 * 1024 * 1024);
  });
});

/** Its checksum is right, so that only the decoder sees it. */
function withPixels(png: Buffer, pixels: Buffer): Buffer {
  const [start, end] = [png.indexOf('IDAT') - 4, png.indexOf('IEND') - 4];
  const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from('IDAT'), pixels, Buffer.alloc(4)]);
  chunk.writeUInt32BE(pixels.length);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return Buffer.concat([png.subarray(0, start), chunk, png.subarray(end)]);
}

function near(actual: number | undefined, expected: number): boolean {
  return actual !== undefined && Math.abs(actual - expected) <= 12;
}

function pixel(level: number): Promise<Buffer> {
  const background = { r: level, g: level, b: level };
  return sharp({ create: { width: 1, height: 1, channels: 3, background } })
    .png()
    .toBuffer();
}
