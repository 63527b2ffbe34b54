import { crc32, deflateSync } from 'node:zlib';
import { type ShopClient } from './shop-client.js';

const PRODUCTS = [
  { product_id: 'SKU-1', title: 'Espresso cup', price: '18.50', currency: 'USD', availability: 'in_stock' },
  { product_id: 'SKU-2', title: 'Saucer', price: '9.00', currency: 'USD', availability: 'out_of_stock' },
  {
    product_id: 'SKU-3',
    title: 'Espresso beans, 1 kg',
    price: '24.90',
    currency: 'USD',
    availability: 'preorder',
  },
];
const BOUNDARY = 'picture-of-the-demo';
const WIDTH = 320;
const HEIGHT = 200;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Products and a picture. */
export async function fillShelves(shop: ShopClient): Promise<string> {
  await shop.owner('products/batch', { site_id: shop.siteId, products: PRODUCTS }, 'PUT');
  await shop.upload('media', pictureForm(), `multipart/form-data; boundary=${BOUNDARY}`);
  return `${PRODUCTS.length} products and a picture`;
}

function pictureForm(): Uint8Array<ArrayBuffer> {
  const head = [
    `--${BOUNDARY}`,
    'Content-Disposition: form-data; name="file"; filename="cup.png"',
    'Content-Type: image/png',
  ].join('\r\n');
  const form = [Buffer.from(`${head}\r\n\r\n`), picture(), Buffer.from(`\r\n--${BOUNDARY}--\r\n`)];
  return Uint8Array.from(Buffer.concat(form));
}

/** A PNG of shades of brown. */
function picture(): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  const line = (y: number): number[] => [
    0,
    ...Array.from({ length: WIDTH }, (_, x) => [80 + x / 4, 50 + y / 4, 40]).flat(),
  ];
  const lines = Buffer.from(Array.from({ length: HEIGHT }, (_, y) => line(y)).flat());
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, content: Buffer): Buffer {
  const checked = Buffer.concat([Buffer.from(type), content]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(content.length, 0);
  frame.writeUInt32BE(crc32(checked), 4);
  return Buffer.concat([frame.subarray(0, 4), checked, frame.subarray(4)]);
}
