import { randomBytes } from 'node:crypto';
import sharp, { type Sharp } from 'sharp';

const RED = { r: 200, g: 30, b: 30, alpha: 1 };

/** Pictures of every kind, generated: 32 × 16, the left half red and the right half blue. */
export const pictures = {
  png: () => flag().png().toBuffer(),
  jpg: () => flag().jpeg({ quality: 95 }).toBuffer(),
  progressiveJpg: () => flag().jpeg({ quality: 95, progressive: true }).toBuffer(),
  restartedJpg: async () => withRestartMarkers(await flag().jpeg({ quality: 95 }).toBuffer()),
  webp: () => flag().webp({ quality: 95 }).toBuffer(),
  losslessWebp: () => flag().webp({ lossless: true }).toBuffer(),
  gif: () => flag().gif().toBuffer(),
  animatedGif: async () => (await frames()).gif({ delay: [100, 200, 300], loop: 2 }).toBuffer(),
  animatedWebp: async () => (await frames()).webp({ delay: [100, 200, 300], loop: 2 }).toBuffer(),
} as const;

/** As from a phone: with position, author, and an orientation that requires a turn to the right. */
export function photo(): Promise<Buffer> {
  return flag()
    .jpeg({ quality: 95 })
    .withExif({
      IFD0: { Make: 'SecretMaker', Artist: 'Jane Secret', Software: '<script>alert(1)</script>' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 12/1', GPSLongitude: '13/1 24/1 18/1' },
    })
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"><secret/></x:xmpmeta>')
    .withMetadata({ orientation: 6 })
    .toBuffer();
}

/** A small file that declares very many pixels. */
export function bomb(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: RED }, limitInputPixels: false })
    .png({ compressionLevel: 9 })
    .toBuffer();
}

/** Incompressible pixels. */
export function noise(width: number, height: number): Promise<Buffer> {
  return sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: 0 })
    .toBuffer();
}

function flag(left: object = RED): Sharp {
  const half = { width: 16, height: 16, channels: 3 as const, background: RED };
  return sharp({ create: { ...half, width: 32, background: { r: 20, g: 20, b: 220 } } }).composite([
    { input: { create: { ...half, background: { ...RED, ...left } } }, left: 0, top: 0 },
  ]);
}

async function frames(): Promise<Sharp> {
  const each = await Promise.all([30, 90, 150].map((g) => flag({ g }).png().toBuffer()));
  return sharp(each, { join: { animated: true } });
}

/** Declares a restart interval, and puts a restart marker into the middle of the pixel data. */
function withRestartMarkers(jpeg: Buffer): Buffer {
  const scan = jpeg.indexOf(Buffer.from([0xff, 0xda]));
  const interval = Buffer.from([0xff, 0xdd, 0, 4, 0, 1]);
  return Buffer.concat([jpeg.subarray(0, scan), interval, jpeg.subarray(scan)]);
}
