import { describe, expect, it } from '@jest/globals';
import { deflateRawSync } from 'node:zlib';
import { fail, succeed } from '@truetally/kernel';
import fc from 'fast-check';
import { pictures } from '../testing/pictures.js';
import { readPictureStructure } from './picture-structure.js';

const KINDS = {
  png: { extension: 'png', isLossless: false },
  jpg: { extension: 'jpg', isLossless: false },
  progressiveJpg: { extension: 'jpg', isLossless: false },
  webp: { extension: 'webp', isLossless: false },
  losslessWebp: { extension: 'webp', isLossless: true },
  gif: { extension: 'gif', isLossless: false },
  animatedGif: { extension: 'gif', isLossless: false },
  animatedWebp: { extension: 'webp', isLossless: false },
} as const;
const NAMES = Object.keys(KINDS) as (keyof typeof KINDS)[];

const FOREIGN = {
  nothing: '',
  svg: '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  'svg with a prologue': '<?xml version="1.0"?><!DOCTYPE svg><svg/>',
  page: '<!doctype html><img src=x onerror=alert(1)>',
  'page before a picture': '<!--\x89PNG\r\n\x1a\n',
  archive: 'PK\x03\x04',
  document: '%PDF-1.7',
  'old bitmap': 'BM\x00\x00',
  'other RIFF': 'RIFF\x04\x00\x00\x00WAVE',
  'newer picture': '\x00\x00\x00\x20ftypavif',
};

/** Content after a picture that makes the file valid in another format, too. */
const TAILS = {
  'an archive (GIFAR)': archive(),
  'a page': Buffer.from('<html><script>alert(1)</script></html>'),
  'a script': Buffer.from('*/=1;alert(1)//'),
  'a program': Buffer.from('<?php system($_GET[0]);'),
  'a video': Buffer.from('\x00\x00\x00\x18ftypmp42'),
  'one byte': Buffer.from('\n'),
  'padding and then a page': Buffer.concat([Buffer.alloc(512), Buffer.from('<html>')]),
};

describe('the structure of a picture', () => {
  it.each(NAMES)('the structure of a picture of %s is known by its content', async (name) => {
    expect(readPictureStructure(await pictures[name]())).toEqual(succeed(KINDS[name]));
  });

  it.each(Object.entries(FOREIGN))(
    'the structure of a picture is not that of a file such as: %s',
    (_name, content) => {
      expect(readPictureStructure(Buffer.from(content, 'latin1'))).toEqual(fail('foreign'));
    },
  );

  it.each(
    NAMES.flatMap((name) => Object.entries(TAILS).map(([tail, bytes]) => [name, tail, bytes] as const)),
  )('a picture of %s with %s behind it is refused: polyglots', async (name, _tail, bytes) => {
    expect(readPictureStructure(Buffer.concat([await pictures[name](), bytes]))).toEqual(fail('followed'));
  });

  it.each(NAMES)('a picture of %s may be followed by zeros', async (name) => {
    const padded = Buffer.concat([await pictures[name](), Buffer.alloc(1_000)]);
    expect(readPictureStructure(padded)).toEqual(succeed(KINDS[name]));
  });

  it('a JPEG may be followed by further whole JPEGs, as cameras write them, and by nothing else', async () => {
    const jpeg = await pictures.jpg();
    const preview = await pictures.progressiveJpg();
    expect(readPictureStructure(Buffer.concat([jpeg, Buffer.alloc(3), preview, jpeg])).ok).toBe(true);
    expect(readPictureStructure(Buffer.concat([jpeg, preview, archive()]))).toEqual(fail('followed'));
    expect(readPictureStructure(Buffer.concat([jpeg, preview.subarray(0, -9)]))).toEqual(fail('truncated'));
  });

  it('a JPEG may be followed by the trailer of a camera, and by no other', async () => {
    const jpeg = await pictures.jpg();
    const blocks = [
      Buffer.from('\0\0\x01\x0aImage_UTC_Data1600000000000'),
      Buffer.from('\0\0\x61\x0cMCC_Data262'),
    ];
    const read = (...parts: readonly Buffer[]) => readPictureStructure(Buffer.concat([jpeg, ...parts]));
    expect(read(trailer(blocks)).ok).toBe(true);
    expect(read(jpeg, trailer(blocks)).ok).toBe(true);
    expect(read(trailer([])).ok).toBe(true);
    const whole = trailer(blocks);
    for (const bad of [
      Buffer.concat([Buffer.from('<html>'), whole]),
      Buffer.concat([whole, Buffer.from('<html>')]),
      whole.subarray(4),
      whole.subarray(0, -4),
      trailer([Buffer.alloc(70_000, 'v')]),
      Buffer.from('SEFH\0\0\0\0\0\0\0\0\xff\xff\xff\xffSEFT', 'latin1'),
    ]) {
      expect(read(bad)).toEqual(fail('followed'));
    }
    expect(read(trailer([archive()]))).toEqual(fail('ambiguous'));
  });

  it('a picture whose comment makes it an archive or a document, too, is refused', async () => {
    const jpeg = await pictures.jpg();
    const commented = (comment: Buffer, at = 2): Buffer => {
      const segment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, 0]), comment]);
      segment.writeUInt16BE(comment.length + 2, 2);
      return Buffer.concat([jpeg.subarray(0, at), segment, jpeg.subarray(at)]);
    };
    expect(readPictureStructure(commented(Buffer.from('%PDF-1.7 1 0 obj')))).toEqual(fail('ambiguous'));
    expect(readPictureStructure(commented(archive(), jpeg.length - 2))).toEqual(fail('ambiguous'));
    expect(readPictureStructure(commented(Buffer.from('<script>alert(1)</script>'))).ok).toBe(true);
    expect(readPictureStructure(commented(Buffer.from('PK\x05\x06'))).ok).toBe(true);
  });

  it('the structure of a JPEG with restart markers is followed through them', async () => {
    expect(readPictureStructure(await pictures.restartedJpg()).ok).toBe(true);
  });

  it('a picture that ends early is refused, wherever it was cut', async () => {
    for (const name of NAMES) {
      const bytes = await pictures[name]();
      // From the length at which the format can be recognised.
      for (let length = 16; length < bytes.length; length++) {
        const reading = readPictureStructure(bytes.subarray(0, length));
        expect([name, length, reading.ok]).toEqual([name, length, false]);
      }
    }
  });

  it('the structure of a picture is read in bounded time, without an exception, whatever the bytes say', async () => {
    const originals = await Promise.all(NAMES.map((name) => pictures[name]()));
    fc.assert(
      fc.property(
        fc.constantFrom(...originals),
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 20 }),
        fc.nat(),
        (original, changes, cut) => {
          const bytes = Buffer.from(original.subarray(0, cut % (original.length + 1)));
          for (const [place, value] of changes) if (bytes.length > 0) bytes[place % bytes.length] = value;
          const reading = readPictureStructure(bytes);
          expect(typeof reading.ok).toBe('boolean');
        },
      ),
      { numRuns: 3_000 },
    );
  });
});

/** Blocks and their directory, as Samsung's cameras write them. */
function trailer(blocks: readonly Buffer[]): Buffer {
  const space = blocks.reduce((sum, { length }) => sum + length, 0);
  const entries: Buffer[] = [];
  let offset = space;
  for (const block of blocks) {
    const entry = Buffer.alloc(12);
    entry.writeUInt32LE(offset, 4);
    entry.writeUInt32LE(block.length, 8);
    entries.push(entry);
    offset -= block.length;
  }
  const header = Buffer.alloc(12);
  header.write('SEFH');
  header.writeUInt32LE(blocks.length, 8);
  const directory = Buffer.concat([header, ...entries]);
  const tail = Buffer.alloc(8);
  tail.writeUInt32LE(directory.length);
  tail.write('SEFT', 4);
  return Buffer.concat([...blocks, directory, tail]);
}

/** The smallest archive that an unpacker opens: it searches from the end of a file. */
function archive(): Buffer {
  const content = deflateRawSync('class Evil {}');
  return Buffer.concat([Buffer.from('PK\x03\x04'), content, Buffer.from('PK\x05\x06'), Buffer.alloc(18)]);
}
