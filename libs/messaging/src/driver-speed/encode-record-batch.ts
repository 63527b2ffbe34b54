import { crc32c } from './crc32c.js';
import type { EncodedRecord } from './encode-record.js';

/** A record batch without compression and transactions, as the driver hands it over. */
export interface DriverRecordBatch {
  readonly firstTimestamp: number;
  readonly maxTimestamp: number;
  readonly producerId?: unknown;
  readonly producerEpoch?: number;
  readonly firstSequence?: number;
  readonly lastOffsetDelta?: number;
  readonly compression?: number;
  readonly transactional?: boolean;
  readonly records: readonly EncodedRecord[];
}

/** What the driver's request writer asks of an encoded batch. */
export interface EncodedRecordBatch extends EncodedRecord {
  size(): number;
}

const MAGIC = 2;
/** First offset, length, leader epoch, magic: what comes before the checksum. */
const CRC_AT = 17;
const BODY_AT = 21;
const RECORDS_AT = 61;
const NO_PRODUCER_ID = -1n;
const LENGTH_AT = 8;
const LENGTH_COUNTS_FROM = 12;

/** Whether the driver's own encoder has to do it: this product neither compresses nor uses transactions. */
export function isPlainBatch({
  compression = 0,
  transactional = false,
  producerId,
}: DriverRecordBatch): boolean {
  return (
    compression === 0 && !transactional && String(producerId ?? NO_PRODUCER_ID) === String(NO_PRODUCER_ID)
  );
}

/**
 * A record batch (magic 2) in one buffer of its exact size. The driver's own encoder doubles one buffer until all
 * records are in it, and copies the whole three times more.
 */
export function encodeRecordBatch(batch: DriverRecordBatch): EncodedRecordBatch {
  const {
    firstTimestamp,
    maxTimestamp,
    producerEpoch = 0,
    firstSequence = 0,
    lastOffsetDelta = 0,
    records,
  } = batch;
  const bytes = records.reduce((sum, record) => sum + record.buffer.length, RECORDS_AT);
  const buffer = Buffer.allocUnsafe(bytes);
  buffer.writeBigInt64BE(0n, 0);
  buffer.writeInt32BE(bytes - LENGTH_COUNTS_FROM, LENGTH_AT);
  buffer.writeInt32BE(0, LENGTH_COUNTS_FROM);
  buffer.writeInt8(MAGIC, LENGTH_COUNTS_FROM + 4);
  let offset = buffer.writeInt16BE(0, BODY_AT);
  offset = buffer.writeInt32BE(lastOffsetDelta, offset);
  offset = buffer.writeBigInt64BE(BigInt(firstTimestamp), offset);
  offset = buffer.writeBigInt64BE(BigInt(maxTimestamp), offset);
  offset = buffer.writeBigInt64BE(NO_PRODUCER_ID, offset);
  offset = buffer.writeInt16BE(producerEpoch, offset);
  offset = buffer.writeInt32BE(firstSequence, offset);
  offset = buffer.writeInt32BE(records.length, offset);
  for (const record of records) offset += record.buffer.copy(buffer, offset);
  buffer.writeUInt32BE(crc32c(buffer.subarray(BODY_AT)), CRC_AT);
  return { buf: buffer, buffer, size: () => bytes };
}
