import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isCameraTrailer } from './camera-trailer.js';
import { hasOtherReading } from './other-readings.js';

/** Blocks, a directory of twelve bytes per block behind twelve of its own, its length, and a name. */
function trailer(
  blocks: readonly number[],
  said: {
    readonly directory?: string;
    readonly name?: string;
    readonly length?: number;
    readonly count?: number;
  } = {},
): Buffer {
  const total = blocks.reduce((sum, size) => sum + size, 0);
  const directory = Buffer.alloc(12 + 12 * blocks.length);
  directory.write(said.directory ?? 'SEFH', 0, 'latin1');
  directory.writeUInt32LE(said.count ?? blocks.length, 8);
  let from = 0;
  blocks.forEach((size, index) => {
    directory.writeUInt32LE(total - from, 12 + index * 12 + 4);
    directory.writeUInt32LE(size, 12 + index * 12 + 8);
    from += size;
  });
  const tail = Buffer.alloc(8);
  tail.writeUInt32LE(said.length ?? directory.length, 0);
  tail.write(said.name ?? 'SEFT', 4, 'latin1');
  return Buffer.concat([Buffer.alloc(total, 7), directory, tail]);
}

const PICTURE = Buffer.alloc(100, 1);
const behindPicture = (rest: Buffer): boolean =>
  isCameraTrailer(Buffer.concat([PICTURE, rest]), PICTURE.length);

describe('the trailer of a camera', () => {
  it('the trailer of a camera has any blocks that fill the space before its directory', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(300), { maxLength: 6 }), (blocks) => {
        expect(behindPicture(trailer(blocks))).toBe(true);
      }),
    );
  });

  it('the trailer of a camera has its blocks in any order', () => {
    const one = trailer([10, 20]);
    const at = 30 + 12;
    const swapped = Buffer.concat([
      one.subarray(0, at),
      one.subarray(at + 12, at + 24),
      one.subarray(at, at + 12),
      one.subarray(at + 24),
    ]);
    expect(behindPicture(swapped)).toBe(true);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['less than a directory', trailer([]).subarray(1)],
    ['another name at its end', trailer([10], { name: 'SEFX' })],
    ['another name of its directory', trailer([10], { directory: 'SEFX' })],
    ['a directory before the picture’s end', trailer([10], { length: 1_000 })],
    ['a directory that begins one byte before it', trailer([], { length: 13 })],
    ['a directory that is too short for its header', trailer([], { length: 11 })],
    ['more entries than its directory has', trailer([10], { count: 2 })],
    ['fewer entries than its directory has', trailer([10, 10], { count: 1 })],
    ['space before its first block', Buffer.concat([Buffer.alloc(1), trailer([10])])],
    ['more than 64 KiB', trailer([64 * 1024 - 12 - 12 - 8 + 1])],
  ])('the bytes behind a picture are no trailer of a camera with %s', (_what, bytes) => {
    expect(behindPicture(bytes)).toBe(false);
  });

  it('the trailer of a camera has at most 64 KiB', () => {
    expect(behindPicture(trailer([64 * 1024 - 12 - 12 - 8]))).toBe(true);
  });

  it.each([
    ['overlap', 30 + 12 + 12 + 4, 21],
    ['leave a gap', 30 + 12 + 12 + 4, 19],
    ['end before the directory', 30 + 12 + 12 + 8, 19],
    ['end behind it', 30 + 12 + 12 + 8, 21],
  ])('the bytes behind a picture are no trailer of a camera if their blocks %s', (_what, offset, value) => {
    const bytes = trailer([10, 20]);
    bytes.writeUInt32LE(value, offset);
    expect(behindPicture(bytes)).toBe(false);
  });
});

/** An archive's end record. */
function archiveEnd(said: { disk?: number; here?: number; total?: number; size?: number } = {}): Buffer {
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt32LE(said.disk ?? 0, 4);
  end.writeUInt16LE(said.here ?? 1, 8);
  end.writeUInt16LE(said.total ?? 1, 10);
  end.writeUInt32LE(said.size ?? 0, 12);
  return end;
}

describe('another reading of a picture', () => {
  it.each([
    ['an archive behind it', [PICTURE, archiveEnd()], true],
    ['an archive with a directory that just fits', [PICTURE, archiveEnd({ size: 100 })], true],
    ['an end record whose directory does not fit', [PICTURE, archiveEnd({ size: 101 })], false],
    ['an end record of another disk', [PICTURE, archiveEnd({ disk: 1 })], false],
    ['an end record that lacks entries', [PICTURE, archiveEnd({ here: 1, total: 2 })], false],
    ['an end record that is cut off', [PICTURE, archiveEnd().subarray(0, 21)], false],
    ['a false end record, and a true one behind it', [PICTURE, archiveEnd({ disk: 1 }), archiveEnd()], true],
    ['an archive with the longest comment', [archiveEnd(), Buffer.alloc(65_535)], true],
    ['an end record too far from the end', [archiveEnd(), Buffer.alloc(65_536)], false],
    ['a document within its first 1,024 bytes', [Buffer.alloc(1_019), Buffer.from('%PDF-')], true],
    ['a document behind them', [Buffer.alloc(1_020), Buffer.from('%PDF-')], false],
    ['nothing else', [PICTURE], false],
    ['nothing at all', [], false],
  ])('another reading of a picture is found, or not, in a file with %s: %#', (_what, parts, expected) => {
    expect(hasOtherReading(Buffer.concat(parts))).toBe(expected);
  });
});
