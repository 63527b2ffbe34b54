import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { crc32c } from './crc32c.js';
import { type DriverRecord, encodeRecord } from './encode-record.js';
import { type DriverRecordBatch, encodeRecordBatch, isPlainBatch } from './encode-record-batch.js';
import { groupByPartition } from './group-by-partition.js';
import { murmur2 } from './murmur2.js';

const require = createRequire(import.meta.url);
const driver = {
  record: require('kafkajs/src/protocol/recordBatch/record/v0/index.js') as (record: object) => {
    buffer: Buffer;
  },
  batch: (
    require('kafkajs/src/protocol/recordBatch/v0/index.js') as {
      RecordBatch: (batch: DriverRecordBatch) => Promise<{ buffer: Buffer; size(): number }>;
    }
  ).RecordBatch,
  crc32c: require('kafkajs/src/protocol/recordBatch/crc32C/index.js') as (bytes: Buffer) => number,
  murmur2: require('kafkajs/src/producer/partitioners/default/murmur2.js') as (key: Buffer) => number,
  group: require('kafkajs/src/producer/groupMessagesPerPartition.js') as (grouping: object) => object,
};

const buffers = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
const texts = fc.string({ unit: 'binary', maxLength: 200 });
const bytes = fc.oneof(buffers, texts);
const records: fc.Arbitrary<DriverRecord> = fc.record({
  offsetDelta: fc.nat(100_000),
  timestampDelta: fc.nat(1_000_000_000),
  key: fc.option(bytes),
  value: fc.option(bytes),
  headers: fc.dictionary(texts, fc.oneof(bytes, fc.array(bytes, { maxLength: 3 })), { maxKeys: 8 }),
});

describe('what replaces inner functions of the driver gives what they give', () => {
  it('records, byte for byte', () => {
    fc.assert(
      fc.property(records, (record) => {
        expect(encodeRecord(record).buffer.equals(driver.record(record).buffer)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
    expect(encodeRecord({}).buffer.equals(driver.record({}).buffer)).toBe(true);
  });

  it.each([0, 1, 63, 64, 127, 128, 8_191, 8_192, 16_384, 1_048_575, 1_048_576, 2_097_152])(
    'a record whose value has %d bytes, where the length of its length changes',
    (length) => {
      const record = { value: Buffer.alloc(length, 7) };
      expect(encodeRecord(record).buffer.equals(driver.record(record).buffer)).toBe(true);
    },
  );

  it('record batches, byte for byte', async () => {
    const times = fc.nat(2_000_000_000_000);
    const batches = fc.record({
      records: fc.array(records, { minLength: 1, maxLength: 20 }),
      firstTimestamp: times,
      maxTimestamp: times,
      producerEpoch: fc.nat(100),
      firstSequence: fc.nat(1_000),
    });
    await fc.assert(
      fc.asyncProperty(batches, async (batch) => {
        const lastOffsetDelta = batch.records.length - 1;
        const own = encodeRecordBatch({
          ...batch,
          lastOffsetDelta,
          records: batch.records.map(encodeRecord),
        });
        const theirs = batch.records.map((record) => driver.record(record));
        const expected = await driver.batch({ ...batch, lastOffsetDelta, records: theirs as never });
        expect(own.buffer.equals(expected.buffer)).toBe(true);
        expect(own.size()).toBe(expected.size());
      }),
      { numRuns: 300 },
    );
  });

  it.each([{ compression: 1 }, { transactional: true }, { producerId: 7 }])(
    'leave to the driver what this product does not use: %j',
    (unusual) => {
      const batch = { records: [], firstTimestamp: 0, maxTimestamp: 0 };
      expect(isPlainBatch({ ...batch, ...unusual })).toBe(false);
      expect(isPlainBatch({ ...batch, producerId: '-1' })).toBe(true);
    },
  );

  it('checksums, also at every alignment', () => {
    fc.assert(fc.property(buffers, (buffer) => expect(crc32c(buffer)).toBe(driver.crc32c(buffer))));
    expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  });

  it('hashes of keys', () => {
    fc.assert(
      fc.property(buffers, (key) => expect(murmur2(key)).toBe(driver.murmur2(key))),
      { numRuns: 1_000 },
    );
  });

  it('groups of messages', () => {
    const messages = fc.array(fc.record({ partition: fc.nat(5) }));
    fc.assert(
      fc.property(messages, (list) => {
        const grouping = {
          topic: 'topic',
          partitionMetadata: [1],
          messages: list,
          partitioner: ({ message }: { message: { partition: number } }) => message.partition,
        };
        expect(groupByPartition(grouping)).toEqual(driver.group(grouping));
      }),
    );
    expect(
      groupByPartition({ topic: '', partitionMetadata: [], messages: [1], partitioner: () => 0 }),
    ).toEqual({});
  });
});
