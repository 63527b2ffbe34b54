import { type DriverRecord, type MeasuredRecord, measureRecord } from './encode-record.js';
import { recordBatchBytes, writeRecordBatch } from './write-record-batch.js';

/** A produce request as the driver hands it to its encoder. */
export interface DriverProduce {
  readonly acks: number;
  readonly timeout: number;
  readonly transactionalId?: string | null | undefined;
  readonly producerId?: unknown;
  readonly producerEpoch?: number;
  readonly compression?: number;
  readonly topicData: readonly DriverTopicData[];
}

interface DriverTopicData {
  readonly topic: string;
  readonly partitions: readonly {
    readonly partition: number;
    readonly firstSequence?: number;
    readonly messages: readonly (DriverRecord & { readonly timestamp?: unknown })[];
  }[];
}

/** A request's body that knows its size and writes itself, so that the whole request needs one buffer. */
export interface RequestBody {
  readonly bytes: number;
  /** Returns where it ends. */
  write(buffer: Buffer, start: number): number;
  /** For a driver that was loaded before its request encoder was replaced: the body in its own buffer. */
  readonly buffer: Buffer;
  readonly buf: Buffer;
}

const NO_PRODUCER_ID = '-1';
const NULL_STRING_LENGTH = -1;
const INT16_BYTES = 2;
const INT32_BYTES = 4;
/** Length of the transactional id, acknowledgements, timeout, number of topics. */
const HEADER_BYTES = INT16_BYTES + INT16_BYTES + INT32_BYTES + INT32_BYTES;
/** Partition and size of its record batch. */
const PARTITION_BYTES = INT32_BYTES + INT32_BYTES;

/** Whether our encoder supports it: this product uses neither compression nor times of its own. */
export function isPlainProduce({ compression = 0, topicData }: DriverProduce) {
  return (
    compression === 0 &&
    topicData.every(({ partitions }) =>
      partitions.every(({ messages }) => messages.every(({ timestamp }) => isAbsent(timestamp))),
    )
  );
}

/**
 * The body of a produce request (version 3 to 7). The driver's own encoder copies every record nine times on
 * its way to the socket, each time into a new buffer of the next power of two.
 */
export function encodeProduce(request: DriverProduce, timestamp: number): RequestBody {
  const topics = request.topicData.map(measureTopic);
  const own = HEADER_BYTES + Buffer.byteLength(request.transactionalId ?? '');
  const bytes = topics.reduce((sum, topic) => sum + topic.bytes, own);
  return new ProduceBody(request, topics, timestamp, bytes);
}

/**
 * A class: an object literal with getters gets a hidden class of its own each time, which is in the old space and leads to the
 * getters' closures. Each small collection then took all messages of all such requests for alive (docs/benchmarks/profiles.md).
 */
class ProduceBody implements RequestBody {
  constructor(
    private readonly request: DriverProduce,
    private readonly topics: readonly MeasuredTopic[],
    private readonly timestamp: number,
    readonly bytes: number,
  ) {}

  write(buffer: Buffer, start: number): number {
    return writeProduce(buffer, start, this.request, this.topics, this.timestamp);
  }

  get buffer(): Buffer {
    const own = Buffer.allocUnsafe(this.bytes);
    this.write(own, 0);
    return own;
  }

  get buf(): Buffer {
    return this.buffer;
  }
}

function writeProduce(
  buffer: Buffer,
  start: number,
  { acks, timeout, transactionalId, producerId, producerEpoch = 0 }: DriverProduce,
  topics: readonly MeasuredTopic[],
  timestamp: number,
): number {
  const batch = {
    timestamp,
    producerEpoch,
    producerId: BigInt(String(producerId ?? NO_PRODUCER_ID)),
    isTransactional: Boolean(transactionalId),
  };
  let offset = writeNullable(buffer, start, transactionalId);
  offset = buffer.writeInt16BE(acks, offset);
  offset = buffer.writeInt32BE(timeout, offset);
  offset = buffer.writeInt32BE(topics.length, offset);
  for (const topic of topics) {
    offset = buffer.writeInt16BE(topic.nameBytes, offset);
    offset += buffer.write(topic.name, offset);
    offset = buffer.writeInt32BE(topic.partitions.length, offset);
    for (const { partition, firstSequence, bytes, records } of topic.partitions) {
      offset = buffer.writeInt32BE(partition, offset);
      offset = buffer.writeInt32BE(bytes, offset);
      offset = writeRecordBatch(buffer, offset, { ...batch, firstSequence }, records);
    }
  }
  return offset;
}

function writeNullable(buffer: Buffer, start: number, text: string | null | undefined): number {
  if (text === null || text === undefined) return buffer.writeInt16BE(NULL_STRING_LENGTH, start);
  const offset = buffer.writeInt16BE(Buffer.byteLength(text), start);
  return offset + buffer.write(text, offset);
}

interface MeasuredTopic {
  readonly name: string;
  readonly nameBytes: number;
  readonly bytes: number;
  readonly partitions: readonly MeasuredPartition[];
}

interface MeasuredPartition {
  readonly partition: number;
  readonly firstSequence: number;
  /** Of the record batch. */
  readonly bytes: number;
  readonly records: readonly MeasuredRecord[];
}

function measureTopic({ topic, partitions }: DriverTopicData): MeasuredTopic {
  const nameBytes = Buffer.byteLength(topic);
  const measured = partitions.map(({ partition, firstSequence = 0, messages }) => {
    const records = messages.map(measureRecord);
    return { partition, firstSequence, bytes: recordBatchBytes(records), records };
  });
  const own = INT16_BYTES + nameBytes + INT32_BYTES;
  const bytes = measured.reduce((sum, one) => sum + PARTITION_BYTES + one.bytes, own);
  return { name: topic, nameBytes, bytes, partitions: measured };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
