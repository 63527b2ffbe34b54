import { randomBytes } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

const WIDTH = 4;
const HEIGHT = 2;
const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** One red picture of 4 × 2 pixels, as encoders write it. */
const JPG =
  '/9j/2wBDAAYEBQYFBAYGBQYHBwYIChAKCgkJChQODwwQFxQYGBcUFhYaHSUfGhsjHBYWICwgIyYnKSopGR8tMC0oMCUoKSj/2wBD' +
  'AQcHBwoIChMKChMoGhYaKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCj/wAARCAACAAQD' +
  'ASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAb/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAA' +
  'BQf/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCKAAK2/9k=';
const WEBP = 'UklGRjoAAABXRUJQVlA4IC4AAACQAQCdASoEAAIAAUAmJaACdLoAA5gA/vCbQ/4DdfFtMv/ucD/uyf/2yf+pAAAA';
const GIF = 'R0lGODlhBAACAIAAAExpccgoKCH5BAUAAAAALAAAAAAEAAIAAAIDjG8FADs=';

export const pictureFiles = {
  png: () => png(deflateSync(rows(Buffer.alloc(WIDTH * HEIGHT * 3, 200)))),
  jpg: () => Buffer.from(JPG, 'base64'),
  webp: () => Buffer.from(WEBP, 'base64'),
  gif: () => Buffer.from(GIF, 'base64'),
  /** With random colours, so that the content is new. */
  unique: () => png(deflateSync(rows(randomBytes(WIDTH * HEIGHT * 3)))),
  /** Valid structure, with pixel data that cannot be decompressed. */
  brokenPng: () => png(Buffer.from('these are no pixels')),
} as const;

function png(pixels: Buffer): Buffer {
  const header = Buffer.from([0, 0, 0, WIDTH, 0, 0, 0, HEIGHT, 8, 2, 0, 0, 0]);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Each row starts with its filter byte: none. */
function rows(colours: Buffer): Buffer {
  const length = WIDTH * 3;
  const starts = Array.from({ length: HEIGHT }, (_, index) => index * length);
  return Buffer.concat(
    starts.flatMap((start) => [Buffer.from([0]), colours.subarray(start, start + length)]),
  );
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}
