import kafkajs from 'kafkajs';

/** A record that is written to Kafka directly, past the product. */
export interface RecordToWrite {
  readonly brokers: string;
  /** With its prefix. */
  readonly topic: string;
  readonly key: string;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The record's own timestamp, in epoch milliseconds: as old as a test needs. */
  readonly timestampMs: number;
}

/** Writes a record as a broker may still hold it, or an operator may have restored it. */
export async function writeRecord(record: RecordToWrite): Promise<void> {
  const { brokers, topic, key, value, headers, timestampMs } = record;
  const kafka = new kafkajs.Kafka({
    clientId: 'truetally-writer',
    brokers: brokers.split(','),
    logLevel: kafkajs.logLevel.NOTHING,
  });
  const producer = kafka.producer({ allowAutoTopicCreation: false });
  await producer.connect();
  try {
    const message = { key, value, headers: { ...headers }, timestamp: String(timestampMs) };
    await producer.send({ topic, acks: -1, messages: [message] });
  } finally {
    await producer.disconnect();
  }
}
