import { describe, expect, it } from '@jest/globals';
import { FRAME_HEADER_BYTES, SEALED_PIECE_LIMIT_BYTES } from '@truetally/contracts/publisher';
import fc from 'fast-check';
import { type Frame, framesOf } from './upload-frames.js';

async function read(...chunks: readonly (Buffer | string)[]): Promise<readonly Frame[]> {
  const frames: Frame[] = [];
  const body = async function* (): AsyncGenerator<Buffer> {
    for (const chunk of chunks) yield Buffer.from(chunk);
  };
  for await (const frame of framesOf(body())) frames.push(frame);
  return frames;
}

const frame = ({ sealed: { keyId, sealed } }: Pick<Frame, 'sealed'>): Buffer =>
  Buffer.concat([Buffer.from(`${keyId} ${sealed.length}\n`), sealed]);

describe('frames of an upload', () => {
  const sealed = fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.from(bytes));
  const one = fc.record({ keyId: fc.stringMatching(/^[A-Za-z0-9._-]{1,64}$/), sealed });

  it('frames of an upload are read as they were written, in chunks of any sizes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(one), fc.array(fc.nat(100), { minLength: 1 }), async (all, sizes) => {
        const bytes = Buffer.concat(all.map((part) => frame({ sealed: part })));
        const chunks: Buffer[] = [];
        for (let at = 0, n = 0; at < bytes.length; n += 1) {
          const size = 1 + (sizes[n % sizes.length] ?? 0);
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        const frames = await read(...chunks);
        expect(frames.map((part) => part.sealed)).toEqual(all);
        expect(frames.reduce((sum, part) => sum + part.bytes, 0)).toBe(bytes.length);
      }),
    );
  });

  it('frames of an upload may have the longest header and piece that are written', async () => {
    const longest = { keyId: 'k'.repeat(64), sealed: Buffer.alloc(SEALED_PIECE_LIMIT_BYTES) };
    expect(await read(frame({ sealed: longest }))).toMatchObject([{ sealed: longest }]);
    expect(Buffer.byteLength(`${longest.keyId} ${'9'.repeat(7)}\n`)).toBe(FRAME_HEADER_BYTES);
  });

  it.each([
    ['a longer piece', `key ${SEALED_PIECE_LIMIT_BYTES + 1}\n`],
    ['no line end', 'k'.repeat(FRAME_HEADER_BYTES)],
    ['no size', 'key \n'],
    ['an empty piece', 'key 0\n'],
    ['another content', '{"rows":[]}\n'],
  ])('frames with %s are refused before anything more is read', async (_what, start) => {
    let isRead = false;
    const body = async function* (): AsyncGenerator<Buffer> {
      yield Buffer.from(start);
      isRead = true;
    };
    const frames = framesOf(body());
    await expect(frames.next()).rejects.toThrow('did not write');
    expect(isRead).toBe(false);
  });

  it('frames that end in the middle of a piece are incomplete', async () => {
    await expect(read('key 3\nab')).rejects.toThrow('incomplete');
  });
});
