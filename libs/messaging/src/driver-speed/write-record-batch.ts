import { crc32c } from './crc32c.js';
import { type MeasuredRecord, recordBytes, writeRecord } from './encode-record.js';

const MAGIC = 2;
const CRC_BYTES = 4;
const LENGTH_BYTES = 12;
const RECORDS_AT = 61;
/** The bit of the attributes. */
const IN_TRANSACTION = 16;

/** The common fields of all batches of a request. */
export interface BatchHeader {
  /** Milliseconds. */
  readonly timestamp: number;
  /** -1: none. */
  readonly producerId: bigint;
  readonly producerEpoch: number;
  readonly firstSequence: number;
  readonly isTransactional: boolean;
}

export function recordBatchBytes(records: readonly MeasuredRecord[]): number {
  let bytes = RECORDS_AT;
  for (const record of records) bytes += recordBytes(record);
  return bytes;
}

/**
 * Writes a record batch (magic 2, no compression) of `recordBatchBytes` bytes; returns where it ends.
 */
export function writeRecordBatch(
  buffer: Buffer,
  start: number,
  { timestamp, producerId, producerEpoch, firstSequence, isTransactional }: BatchHeader,
  records: readonly MeasuredRecord[],
): number {
  const end = start + recordBatchBytes(records);
  let offset = buffer.writeBigInt64BE(0n, start);
  offset = buffer.writeInt32BE(end - start - LENGTH_BYTES, offset);
  offset = buffer.writeInt32BE(0, offset);
  const crcAt = buffer.writeInt8(MAGIC, offset);
  offset = buffer.writeInt16BE(isTransactional ? IN_TRANSACTION : 0, crcAt + CRC_BYTES);
  offset = buffer.writeInt32BE(records.length - 1, offset);
  offset = buffer.writeBigInt64BE(BigInt(timestamp), offset);
  offset = buffer.writeBigInt64BE(BigInt(timestamp), offset);
  offset = buffer.writeBigInt64BE(producerId, offset);
  offset = buffer.writeInt16BE(producerEpoch, offset);
  offset = buffer.writeInt32BE(firstSequence, offset);
  offset = buffer.writeInt32BE(records.length, offset);
  for (const record of records) offset = writeRecord(buffer, offset, record);
  buffer.writeUInt32BE(crc32c(buffer.subarray(crcAt + CRC_BYTES, end)), crcAt);
  return end;
}
