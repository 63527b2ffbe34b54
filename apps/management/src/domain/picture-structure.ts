import type { MediaExtension } from '@truetally/contracts/management';
import { fail, type Result, succeed } from '@truetally/kernel';
import { isCameraTrailer } from './camera-trailer.js';
import { hasOtherReading } from './other-readings.js';

/** The type of a file by its own bytes, independent of its name and declared type. */
export interface PictureKind {
  readonly extension: MediaExtension;
  /** Of a WebP: whether its compression is lossless. */
  readonly isLossless: boolean;
}

export const PICTURE_FAULTS = {
  foreign: 'must be a PNG, JPEG, WebP or GIF picture',
  truncated: 'must be a whole picture; this one ends early',
  damaged: 'must be a picture that can be read; this one is damaged',
  ambiguous: 'must be a picture and nothing else; this one can be opened as an archive or a document, too',
  followed: 'must end where its picture ends; other data follows it',
} as const;
export type PictureFault = keyof typeof PICTURE_FAULTS;

/** Where the picture ends, exclusive. */
type End = Result<number, PictureFault>;

/**
 * Parses a picture's structure from its first byte to its last. A polyglot file (with an archive, a page or a
 * script after the picture) has bytes outside of the structure, and is refused.
 */
export function readPictureStructure(bytes: Buffer): Result<PictureKind, PictureFault> {
  const extension = extensionOf(bytes);
  if (extension === undefined) return fail('foreign');
  const end = READERS[extension](bytes);
  if (!end.ok) return end;
  if (!isPadding(bytes, end.value)) return fail('followed');
  if (hasOtherReading(bytes)) return fail('ambiguous');
  return succeed({ extension, isLossless: extension === 'webp' && isLosslessWebp(bytes) });
}

const READERS: Readonly<Record<MediaExtension, (bytes: Buffer) => End>> = {
  png: endOfPng,
  jpg: endOfJpegs,
  webp: endOfWebp,
  gif: endOfGif,
};

const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const GIF_SIGNATURES = ['GIF87a', 'GIF89a'];
const RIFF_HEADER_BYTES = 12;

function extensionOf(bytes: Buffer): MediaExtension | undefined {
  if (bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return 'png';
  if (isJpeg(bytes, 0)) return 'jpg';
  if (GIF_SIGNATURES.includes(name(bytes, 0, 6))) return 'gif';
  return name(bytes, 0, 4) === 'RIFF' && name(bytes, 8, 4) === 'WEBP' ? 'webp' : undefined;
}

/** Encoders and disks pad sizes with zeros, which have no meaning. */
function isPadding(bytes: Buffer, start: number): boolean {
  return bytes.subarray(start).every((byte) => byte === 0);
}

const PNG_CHUNK_BYTES = 12;
const CHUNK_NAME = /^[A-Za-z]{4}$/;

/** Chunks of length, name, data and checksum, from IHDR to IEND. */
function endOfPng(bytes: Buffer): End {
  for (let offset = PNG_SIGNATURE.length, isFirst = true; ; isFirst = false) {
    if (offset + PNG_CHUNK_BYTES > bytes.length) return fail('truncated');
    const chunk = name(bytes, offset + 4, 4);
    if (!CHUNK_NAME.test(chunk) || isFirst !== (chunk === 'IHDR')) return fail('damaged');
    offset += PNG_CHUNK_BYTES + bytes.readUInt32BE(offset);
    if (offset > bytes.length) return fail('truncated');
    if (chunk === 'IEND') return succeed(offset);
  }
}

const MARKER = 0xff;
const START_OF_IMAGE = 0xd8;
const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;
const TEMPORARY = 0x01;
const FIRST_RESTART = 0xd0;
const LAST_RESTART = 0xd7;

/** Cameras append previews and brightness maps, whole JPEGs (Multi-Picture Format), and trailers. */
function endOfJpegs(bytes: Buffer): End {
  for (let end = endOfJpeg(bytes, 0); ;) {
    if (!end.ok) return end;
    let next = end.value;
    if (isCameraTrailer(bytes, next)) return succeed(bytes.length);
    while (bytes[next] === 0) next++;
    if (!isJpeg(bytes, next)) return end;
    end = endOfJpeg(bytes, next);
  }
}

function isJpeg(bytes: Buffer, offset: number): boolean {
  return bytes[offset] === MARKER && bytes[offset + 1] === START_OF_IMAGE && bytes[offset + 2] === MARKER;
}

/** Segments of marker and length; a scan header is followed by pixel data until the next real marker. */
function endOfJpeg(bytes: Buffer, start: number): End {
  for (let offset = start + 2; ;) {
    if (offset + 1 >= bytes.length) return fail('truncated');
    if (bytes[offset] !== MARKER) return fail('damaged');
    const marker = bytes[offset + 1] ?? 0;
    offset += marker === MARKER ? 1 : 2;
    if (marker === END_OF_IMAGE) return succeed(offset);
    if (marker === MARKER || marker === TEMPORARY || isRestart(marker)) continue;
    if (marker === 0 || marker === START_OF_IMAGE) return fail('damaged');
    if (offset + 2 > bytes.length) return fail('truncated');
    const length = bytes.readUInt16BE(offset);
    if (length < 2) return fail('damaged');
    offset += length;
    if (marker === START_OF_SCAN) offset = endOfScan(bytes, offset);
  }
}

/** In pixel data, a marker byte is followed by zero, or by a restart number. */
function endOfScan(bytes: Buffer, start: number): number {
  for (let offset = start; ; offset += 2) {
    offset = bytes.indexOf(MARKER, offset);
    if (offset < 0) return bytes.length;
    const next = bytes[offset + 1] ?? END_OF_IMAGE;
    if (next !== 0 && !isRestart(next)) return offset;
  }
}

function isRestart(marker: number): boolean {
  return marker >= FIRST_RESTART && marker <= LAST_RESTART;
}

/** One RIFF with its length in the header, filled by chunks of name, length and data. */
function endOfWebp(bytes: Buffer): End {
  const end = bytes.readUInt32LE(4) + 8;
  if (end > bytes.length) return fail('truncated');
  const chunks = chunksOf(bytes, RIFF_HEADER_BYTES, end);
  return chunks === undefined || chunks.length === 0 ? fail('damaged') : succeed(end);
}

interface Chunk {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Undefined when they do not fill the space exactly. */
function chunksOf(bytes: Buffer, start: number, end: number): readonly Chunk[] | undefined {
  const chunks: Chunk[] = [];
  let offset = start;
  while (offset + 8 <= end) {
    const length = bytes.readUInt32LE(offset + 4);
    chunks.push({ name: name(bytes, offset, 4), start: offset + 8, end: offset + 8 + length });
    offset += 8 + length + (length % 2);
  }
  return offset === end ? chunks : undefined;
}

/** Before a frame's own chunks. */
const FRAME_HEADER_BYTES = 16;

function isLosslessWebp(bytes: Buffer): boolean {
  const chunks = chunksOf(bytes, RIFF_HEADER_BYTES, bytes.readUInt32LE(4) + 8) ?? [];
  const names = chunks.flatMap((chunk) =>
    chunk.name === 'ANMF' ? (chunksOf(bytes, chunk.start + FRAME_HEADER_BYTES, chunk.end) ?? []) : [chunk],
  );
  return names.some((chunk) => chunk.name === 'VP8L') && !names.some((chunk) => chunk.name === 'VP8 ');
}

const GIF_HEADER_BYTES = 13;
const GIF_FRAME_HEADER_BYTES = 10;
const GIF_EXTENSION = 0x21;
const GIF_FRAME = 0x2c;
const GIF_END = 0x3b;
const COLOUR_TABLE_FLAG = 0x80;
const COLOUR_TABLE_SIZE = 0x07;

/** A header, colour tables, and blocks until the trailer byte of a GIF. */
function endOfGif(bytes: Buffer): End {
  let offset = GIF_HEADER_BYTES + colourTableBytes(bytes[10]);
  for (;;) {
    const block = bytes[offset];
    if (block === undefined) return fail('truncated');
    if (block === GIF_END) return succeed(offset + 1);
    if (block === GIF_EXTENSION) offset = endOfSubBlocks(bytes, offset + 2);
    else if (block === GIF_FRAME) {
      const tables = offset + GIF_FRAME_HEADER_BYTES;
      offset = endOfSubBlocks(bytes, tables + colourTableBytes(bytes[tables - 1]) + 1);
    } else return fail('damaged');
  }
}

function colourTableBytes(flags: number | undefined): number {
  if (flags === undefined || (flags & COLOUR_TABLE_FLAG) === 0) return 0;
  return 3 * 2 ** ((flags & COLOUR_TABLE_SIZE) + 1);
}

/** Each starts with its length; length zero ends them. Beyond the file if that is missing. */
function endOfSubBlocks(bytes: Buffer, start: number): number {
  let offset = start;
  for (let length = bytes[offset]; length !== undefined; length = bytes[offset]) {
    offset += 1 + length;
    if (length === 0) return offset;
  }
  return bytes.length;
}

function name(bytes: Buffer, offset: number, length: number): string {
  return bytes.toString('latin1', offset, offset + length);
}
