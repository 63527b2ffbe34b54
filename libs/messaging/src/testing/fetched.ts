import { type KafkaMessage } from 'kafkajs';
import { decodeBatches } from '../driver-speed/decode-batch.js';
import { measureRecord } from '../driver-speed/encode-record.js';
import { recordBatchBytes, writeRecordBatch } from '../driver-speed/write-record-batch.js';

const decode = decodeBatches(() => Promise.reject(new Error('left to the driver')));
const HEADER = { timestamp: 0, producerId: -1n, producerEpoch: 0, firstSequence: 0, isTransactional: false };

/** A message as it was fetched, and the memory of the answer in which it came. */
export async function fetched(): Promise<{
  readonly message: KafkaMessage;
  readonly answer: ArrayBufferLike;
}> {
  const records = [measureRecord({ key: 'key', value: 'value', headers: { name: 'header' } }, 0)];
  const buffer = Buffer.allocUnsafeSlow(recordBatchBytes(records));
  writeRecordBatch(buffer, 0, HEADER, records);
  const [message] = (await decode({ buffer, offset: 0 })).records;
  if (message === undefined) throw new Error('The batch has a record.');
  return { message: message as unknown as KafkaMessage, answer: buffer.buffer };
}
