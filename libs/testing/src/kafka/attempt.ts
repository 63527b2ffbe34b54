import { readFileSync } from 'node:fs';
import kafkajs, { type KafkaConfig, type SASLOptions } from 'kafkajs';

/** The client's credential: a password, a certificate, or none. */
export interface Attempt {
  readonly brokers: string;
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly sasl?: SASLOptions;
}

/** Kafka's answer: `done`, or the type of its error, such as TOPIC_AUTHORIZATION_FAILED. */
export type Verdict = string;

/** Tries to write one record to each of these topics, by one connection. */
export async function tryToWrite(attempt: Attempt, topics: readonly string[]): Promise<readonly Verdict[]> {
  const producer = clientOf(attempt).producer({ allowAutoTopicCreation: false });
  const write = async (topic: string): Promise<void> => {
    await producer.connect();
    await producer.send({ topic, messages: [{ key: 'forged', value: '{}' }] });
  };
  const verdicts: Verdict[] = [];
  try {
    for (const topic of topics) verdicts.push(await verdictOf(write(topic)));
  } finally {
    await producer.disconnect();
  }
  return verdicts;
}

/** Tries to read a topic in a group. */
export async function tryToRead(attempt: Attempt, topic: string, groupId: string): Promise<Verdict> {
  const consumer = clientOf(attempt).consumer({
    groupId,
    allowAutoTopicCreation: false,
    retry: { retries: 0, restartOnFailure: () => Promise.resolve(false) },
  });
  const read = async (): Promise<void> => {
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    consumer.on('consumer.crash', ({ payload }) => reject(payload.error));
    consumer.on('consumer.fetch', () => resolve(undefined));
    await consumer.run({ autoCommit: false, eachMessage: () => Promise.resolve() });
    await promise;
  };
  try {
    return await verdictOf(read());
  } finally {
    await consumer.disconnect();
  }
}

async function verdictOf(work: Promise<unknown>): Promise<Verdict> {
  try {
    await work;
    return 'done';
  } catch (error) {
    return kindOf(error);
  }
}

/** The protocol's error below the driver's wrappers, else the driver's own name for it. */
function kindOf(error: unknown): string {
  let found = 'unknown';
  for (let current = error; typeof current === 'object' && current !== null;) {
    if ('type' in current && typeof current.type === 'string') return current.type;
    if ('name' in current && typeof current.name === 'string') found = current.name;
    current = 'cause' in current ? current.cause : undefined;
  }
  return found;
}

function clientOf({ brokers, caFile, certFile, keyFile, sasl }: Attempt): kafkajs.Kafka {
  const read = (file: string): string => readFileSync(file, 'utf8');
  const ssl: KafkaConfig['ssl'] =
    caFile === undefined
      ? false
      : {
          ca: [read(caFile)],
          ...(certFile !== undefined && { cert: read(certFile) }),
          ...(keyFile !== undefined && { key: read(keyFile) }),
        };
  return new kafkajs.Kafka({
    clientId: 'attempt',
    brokers: brokers.split(','),
    logLevel: kafkajs.logLevel.NOTHING,
    retry: { retries: 0 },
    ssl,
    ...(sasl !== undefined && { sasl }),
  });
}
