import { type ICustomPartitioner, type Producer, type ProducerBatch } from 'kafkajs';
import { createDriver, type DriverOptions } from '../driver.js';
import { murmur2 } from '../driver-speed/murmur2.js';
import { SENT_ONCE } from '../limits.js';

/**
 * A producer that can be replaced. The driver refreshes the metadata of all topics that it ever sent to
 * together, so that one deleted topic (a reply topic of a dead process) fails all later sends.
 */
export class ProducerConnection {
  private current: Promise<Producer> | undefined;
  private age = 0;

  constructor(private readonly options: DriverOptions) {}

  /** Identifies the current producer: pass it to `replace`, so that two failed sends replace it only once. */
  get generation(): number {
    return this.age;
  }

  async connect(): Promise<void> {
    await this.producer();
  }

  /** Resolves with the time by which a broker has stamped what was sent, where it stamps. */
  async send(batch: ProducerBatch): Promise<number | undefined> {
    const producer = await this.producer();
    const sent = await producer.sendBatch(batch);
    const stamp = sent.find(({ logAppendTime = UNSTAMPED }) => logAppendTime !== UNSTAMPED);
    return stamp === undefined ? undefined : Number(stamp.logAppendTime);
  }

  /** Disconnects the producer of that generation; the next send connects another. */
  async replace(generation: number): Promise<void> {
    if (generation !== this.age || this.current === undefined) return;
    const old = this.current;
    this.current = undefined;
    this.age++;
    await disconnect(old);
  }

  async close(): Promise<void> {
    await this.replace(this.age);
  }

  private producer(): Promise<Producer> {
    this.current ??= this.open();
    return this.current;
  }

  private async open(): Promise<Producer> {
    const generation = this.age;
    const producer = createDriver(this.options).producer({
      allowAutoTopicCreation: false,
      createPartitioner: partitionByKey,
      retry: SENT_ONCE,
    });
    try {
      await producer.connect();
      return producer;
    } catch (error) {
      // One that replaced it meanwhile stays.
      if (generation === this.age) this.current = undefined;
      await producer.disconnect();
      throw error;
    }
  }
}

const UNSTAMPED = '-1';

async function disconnect(producer: Promise<Producer>): Promise<void> {
  try {
    await (await producer).disconnect();
  } catch {
    // It never connected, or its broker is down: there is nothing left to close.
  }
}

const LARGEST_POSITIVE = 0x7fffffff;

/** Like the driver's default partitioner and the Java client: the same key, the same partition. */
export const partitionByKey: ICustomPartitioner =
  () =>
  ({ partitionMetadata, message }) => {
    if (message.partition !== undefined) return message.partition;
    const key = message.key ?? '';
    const hash = murmur2(typeof key === 'string' ? Buffer.from(key) : key);
    return (hash & LARGEST_POSITIVE) % partitionMetadata.length;
  };
