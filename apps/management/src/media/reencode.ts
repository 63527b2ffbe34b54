import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type MediaExtension, MEDIA_FILE_LIMIT_BYTES } from '@truetally/contracts/management';
import sharp, { type Metadata, type OutputInfo, type Sharp } from 'sharp';
import { PICTURE_FAULTS, type PictureKind, readPictureStructure } from '../domain/picture-structure.js';
import type { PictureReply, PictureRequest } from './picture-message.js';

/** Decoding takes up to 17 bytes per pixel: a WebP with transparency of this size needs 420 MiB. */
const MAX_FRAME_PIXELS = 25_000_000;
/** Frames are decoded in sequence; this bounds the time to some seconds (interface page, section 9). */
const MAX_PIXELS = 100_000_000;
const MAX_FRAMES = 1_000;
/** A larger output means that the picture was made to grow. */
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;
const QUALITY = 90;
/** A higher effort costs more time per frame of an animation than it is worth. */
const ANIMATION_EFFORT = 2;
const EFFORT = 4;

const TOO_MANY_PIXELS = `must have at most ${MAX_FRAME_PIXELS.toLocaleString('en')} pixels, and ${MAX_PIXELS.toLocaleString('en')} in all frames`;
const TOO_MANY_FRAMES = `must have at most ${MAX_FRAMES.toLocaleString('en')} frames`;
const TOO_LARGE = 'must be smaller than 32 MiB once it is written anew';

const FORMATS: Readonly<Record<MediaExtension, string>> = {
  png: 'png',
  jpg: 'jpeg',
  webp: 'webp',
  gif: 'gif',
};

// One picture at a time, without a cache. No other format can be read, whatever a file claims to be.
sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp', 'VipsForeignLoadNsgif'],
});

/**
 * Re-encodes a picture from its pixels: without EXIF, colour profiles, comments and any other data, with its
 * orientation applied and in sRGB. Never rejects, neither for a file's content nor for disk errors.
 */
export async function reencode(request: PictureRequest): Promise<PictureReply> {
  try {
    return await rewrite(request);
  } catch (error) {
    if (isDiskFault(error, request.output)) return { failure: String(error) };
    throw error;
  }
}

async function rewrite({ input, output }: PictureRequest): Promise<PictureReply> {
  const bytes = await readFile(input);
  if (bytes.length > MEDIA_FILE_LIMIT_BYTES) return { refusal: PICTURE_FAULTS.foreign };
  const kind = readPictureStructure(bytes);
  if (!kind.ok) return { refusal: PICTURE_FAULTS[kind.error] };
  const written = await write(input, output, kind.value);
  if (typeof written === 'string') return { refusal: written };
  if (written.size > MAX_OUTPUT_BYTES) return { refusal: TOO_LARGE };
  const { width, height, pageHeight, size } = written;
  const { extension } = kind.value;
  const sha256 = await digestOf(output);
  return { picture: { extension, width, height: pageHeight ?? height, bytes: size, sha256 } };
}

/** @returns what is wrong with the picture, or the written one */
async function write(input: string, output: string, kind: PictureKind): Promise<OutputInfo | string> {
  const isAnimated = kind.extension === 'gif' || kind.extension === 'webp';
  const open = (limitInputPixels: number | false): Sharp =>
    sharp(input, { animated: isAnimated, limitInputPixels, failOn: 'error', sequentialRead: true });
  try {
    const metadata = await open(false).metadata();
    const refusal = refusalOf(metadata, kind.extension);
    if (refusal !== undefined) return refusal;
    return await encode(oriented(open(MAX_PIXELS), metadata), kind, (metadata.pages ?? 1) > 1).toFile(output);
  } catch (error) {
    if (isDiskFault(error, output)) throw error;
    // The message contains parts of the file, which are private.
    return PICTURE_FAULTS.damaged;
  }
}

/**
 * Node names the failed system call. sharp has no error code: it starts a line with the file that it could
 * not write. A line that only ends with that file ("unable to write to target …") also occurs for damaged
 * pixels.
 */
function isDiskFault(error: unknown, output: string): boolean {
  if (typeof error !== 'object' || error === null) return false;
  return 'syscall' in error || String(error).includes(`${output}: `);
}

function refusalOf(
  { format, width, height, pages = 1, pageHeight = height }: Metadata,
  extension: MediaExtension,
): string | undefined {
  if (format !== FORMATS[extension]) return PICTURE_FAULTS.foreign;
  if (pages > MAX_FRAMES) return TOO_MANY_FRAMES;
  const framePixels = width * pageHeight;
  return framePixels > MAX_FRAME_PIXELS || framePixels * pages > MAX_PIXELS ? TOO_MANY_PIXELS : undefined;
}

/** Animations cannot be rotated, and have no orientation. */
function oriented(image: Sharp, { orientation = 1, pages = 1 }: Metadata): Sharp {
  return orientation > 1 && pages === 1 ? image.autoOrient() : image;
}

function encode(image: Sharp, { extension, isLossless }: PictureKind, isAnimation: boolean): Sharp {
  switch (extension) {
    case 'png':
      return image.png();
    case 'jpg':
      return image.jpeg({ quality: QUALITY });
    case 'webp':
      return image.webp({
        quality: QUALITY,
        lossless: isLossless,
        effort: isAnimation ? ANIMATION_EFFORT : EFFORT,
      });
    case 'gif':
      return image.gif();
  }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
