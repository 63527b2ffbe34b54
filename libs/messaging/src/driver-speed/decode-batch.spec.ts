import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { anyCharacter } from '@truetally/kernel/testing';
import fc from 'fast-check';
import type { KafkaMessage } from 'kafkajs';
import {
  bytesOf as sizeOf,
  copyOut,
  type DecodeBatch,
  decodeBatches,
  type DriverDecoder,
} from './decode-batch.js';

const require = createRequire(import.meta.url);
const original = require('kafkajs/src/protocol/recordBatch/v0/decoder.js') as DecodeBatch;
const Decoder = require('kafkajs/src/protocol/decoder.js') as new (bytes: Buffer) => DriverDecoder;
const { RecordBatch } = require('kafkajs/src/protocol/recordBatch/v0/index.js') as {
  RecordBatch(batch: object): Promise<{ readonly buffer: Buffer }>;
};
const encodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0/index.js') as (
  record: object,
) => object;

const never: DecodeBatch = () => Promise.reject(new Error('left to the driver'));
const ours = decodeBatches(never);
const CREATED_MS = 1_769_851_800_123;
/** Of attributes: time of the append, in a transaction, and a marker. */
const FLAGS = [0x8, 0x10, 0x20].map((flag) => fc.constantFrom(0, flag));
const ATTRIBUTES_AT = 21;
const GZIP = 1;

const buffers = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
const names = fc
  .string({ unit: anyCharacter, maxLength: 20 })
  // The driver mistakes these for headers that came before.
  .filter((name) => !(name in {}));
const records = fc.record({
  offsetDelta: fc.nat(2 ** 20),
  timestampDelta: fc.oneof(
    fc.integer({ min: -(2 ** 31), max: 2 ** 31 }),
    fc.integer({ min: -(2 ** 45), max: 2 ** 45 }),
  ),
  key: fc.option(buffers),
  value: fc.option(buffers),
  headers: fc.dictionary(names, fc.oneof(buffers, fc.array(buffers, { maxLength: 3 })), { maxKeys: 8 }),
});
const batches = fc.record({
  firstOffset: fc.maxSafeNat().map((offset) => Math.floor(offset / 2)),
  firstTimestamp: fc.nat(2 ** 20).map((laterMs) => CREATED_MS + laterMs),
  maxTimestamp: fc.nat(2 ** 20).map((laterMs) => CREATED_MS + laterMs),
  partitionLeaderEpoch: fc.integer({ min: -1, max: 1_000 }),
  lastOffsetDelta: fc.nat(2 ** 20),
  producerId: fc.integer({ min: -1, max: 2 ** 40 }),
  producerEpoch: fc.integer({ min: -1, max: 100 }),
  firstSequence: fc.integer({ min: -1, max: 2 ** 30 }),
  records: fc.array(records, { maxLength: 20 }),
});
type Batch = typeof batches extends fc.Arbitrary<infer B> ? B : never;

async function bytesOf(batch: Batch, flags: readonly number[] = [], compression = 0): Promise<Buffer> {
  const encoded = await RecordBatch({ ...batch, compression, records: batch.records.map(encodeRecord) });
  const bytes = Buffer.from(encoded.buffer);
  const attributes = flags.reduce((sum, flag) => sum | flag, bytes.readInt16BE(ATTRIBUTES_AT));
  bytes.writeInt16BE(attributes, ATTRIBUTES_AT);
  return bytes;
}

/** What a decoder makes of bytes behind others, and where it stands then. */
async function decodedBy(
  decode: DecodeBatch,
  bytes: Buffer,
  before: (record: object) => void = () => undefined,
): Promise<unknown> {
  const decoder = new Decoder(Buffer.concat([Buffer.from('before'), bytes, Buffer.from('behind')]));
  decoder.offset = 'before'.length;
  const batch = await decode(decoder);
  // Ours are decoded when they are read, and are the same when they are read again.
  const records = batch.records.map((record) => {
    before(record);
    const { key, value, magicByte, isControlRecord } = record;
    const bytes = sizeOf(record as unknown as KafkaMessage);
    return {
      ...record,
      key,
      value,
      magicByte,
      isControlRecord,
      bytes,
      headers: record.headers && record.headers,
    };
  });
  return [{ ...batch, records }, decoder.offset];
}

/** The second time there is nothing to do. */
function copiedOut(record: object): void {
  copyOut(record);
  copyOut(record);
}

describe('a batch of records', () => {
  it('a batch of records is decoded as the driver decodes it', async () => {
    await fc.assert(
      fc.asyncProperty(batches, fc.tuple(...FLAGS), async (batch, flags) => {
        const bytes = await bytesOf(batch, flags);
        const expected = await decodedBy(original, bytes);
        expect(await decodedBy(ours, bytes)).toEqual(expected);
        expect(await decodedBy(ours, bytes, copiedOut)).toEqual(expected);
      }),
    );
  });

  it('a batch with numbers that are not exact in JavaScript is left to the driver', async () => {
    const record = { offsetDelta: 0, timestampDelta: 0, key: null, value: null, headers: {} };
    const batch: Batch = {
      firstOffset: 1,
      firstTimestamp: CREATED_MS,
      maxTimestamp: CREATED_MS,
      partitionLeaderEpoch: 0,
      lastOffsetDelta: 0,
      producerId: -1,
      producerEpoch: 0,
      firstSequence: 0,
      records: [record],
    };
    const inexact = [
      { ...batch, producerId: 2n ** 60n },
      { ...batch, firstOffset: 2n ** 60n },
      { ...batch, records: [{ ...record, timestampDelta: 2n ** 55n }] },
    ] as unknown as readonly Batch[];
    for (const each of inexact) await expect(decodedBy(ours, await bytesOf(each))).rejects.toThrow('left');
    await expect(decodedBy(ours, await bytesOf(batch))).resolves.toBeDefined();
  });

  it('a compressed or incomplete batch is left to the driver', async () => {
    const [batch] = fc.sample(batches, 1);
    if (batch === undefined) throw new Error('There is a sample.');
    await expect(decodedBy(ours, await bytesOf(batch, [GZIP]))).rejects.toThrow('left');
    const decoder = new Decoder((await bytesOf(batch)).subarray(0, -1));
    await expect(ours(decoder)).rejects.toThrow('left');
  });

  it("headers that are named as an object's own methods keep their values", async () => {
    const headers = { toString: Buffer.from('a'), ['__proto__']: Buffer.from('b') };
    const [batch] = fc.sample(batches, 1);
    if (batch === undefined) throw new Error('There is a sample.');
    const record = { offsetDelta: 0, timestampDelta: 0, key: null, value: null, headers };
    const bytes = await bytesOf({ ...batch, records: [record] });
    const decoded = await ours(new Decoder(bytes));
    expect(Object.entries(decoded.records[0]?.headers ?? {})).toEqual(Object.entries(headers));
  });
});
