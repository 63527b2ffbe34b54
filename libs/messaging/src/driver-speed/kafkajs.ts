import { createRequire } from 'node:module';
import type Kafkajs from 'kafkajs';
import { crc32c } from './crc32c.js';
import { encodeRecord } from './encode-record.js';
import { type DriverRecordBatch, encodeRecordBatch, isPlainBatch } from './encode-record-batch.js';
import { groupByPartition } from './group-by-partition.js';

/**
 * The driver with some of its inner functions replaced before it loads (docs/decisions/driver-speed.md): they took
 * half of the processor time of a busy ingestion. The version is pinned, and a test holds each to what it replaces.
 */
const require = createRequire(import.meta.url);

replace('kafkajs/src/protocol/recordBatch/record/v0/index.js', () => encodeRecord);
replace('kafkajs/src/protocol/recordBatch/crc32C/index.js', () => crc32c);
replace('kafkajs/src/producer/groupMessagesPerPartition.js', () => groupByPartition);
replace('kafkajs/src/protocol/recordBatch/v0/index.js', (original: RecordBatchModule) => ({
  ...original,
  RecordBatch: (batch: DriverRecordBatch) =>
    isPlainBatch(batch) ? Promise.resolve(encodeRecordBatch(batch)) : original.RecordBatch(batch),
}));
growWithoutClearing(require('kafkajs/src/protocol/encoder.js') as { prototype: GrowingBuffer });

export const kafkajs = require('kafkajs') as typeof Kafkajs;

interface RecordBatchModule {
  RecordBatch(batch: DriverRecordBatch): Promise<unknown>;
}

interface GrowingBuffer {
  buf: Buffer;
  offset: number;
  ensureAvailable(length: number): void;
}

/** Loads a module of the driver, and lets whoever loads it later have another in its stead. */
function replace<M>(path: string, replacement: (original: M) => unknown): void {
  const original = require(path) as M;
  const loaded = require.cache[require.resolve(path)];
  if (loaded !== undefined) loaded.exports = replacement(original);
}

/** A request's buffer grows by doubling; what is not written yet is never read, and need not be cleared. */
function growWithoutClearing({ prototype }: { prototype: GrowingBuffer }): void {
  prototype.ensureAvailable = function ensureAvailable(this: GrowingBuffer, length: number): void {
    const needed = this.offset + length;
    if (needed <= this.buf.length) return;
    const grown = Buffer.allocUnsafe(2 ** Math.ceil(Math.log2(needed + 1)));
    this.buf.copy(grown, 0, 0, this.offset);
    this.buf = grown;
  };
}
