import { randomBytes } from 'node:crypto';
import { testStack, testTopicPrefix } from '@truetally/testing';
import { Messaging, type MessagingOptions } from '../messaging.js';
import { type MetricName } from '../metrics.js';

export interface Measurement {
  readonly metric: MetricName;
  readonly value: number;
  readonly labels: Readonly<Record<string, string>>;
}

export interface TestBus {
  readonly messaging: Messaging;
  readonly measurements: Measurement[];
  /** Logged warnings and errors. */
  readonly complaints: string[];
  /** Sum of a counter, over all labels. */
  total(metric: MetricName, labels?: Readonly<Record<string, string>>): number;
}

export const TOPIC_PREFIX = testTopicPrefix();

/** One process's started messaging, with the topics of this suite. */
export async function openBus(overrides: Partial<MessagingOptions> = {}): Promise<TestBus> {
  const measurements: Measurement[] = [];
  const complaints: string[] = [];
  const complain = (fields: object, message: string): void => {
    complaints.push(`${message} ${JSON.stringify(fields)}`);
  };
  const messaging = new Messaging({
    brokers: overrides.brokers ?? testStack().kafkaBrokers.split(','),
    clientId: 'messaging-test',
    instance: `test-${randomBytes(4).toString('hex')}`,
    topicPrefix: TOPIC_PREFIX,
    log: { debug: ignore, info: ignore, warn: complain, error: complain },
    onMetric: (metric, value, labels) => {
      measurements.push({ metric, value, labels });
    },
    ...overrides,
  });
  await messaging.start();
  const total = (metric: MetricName, labels: Readonly<Record<string, string>> = {}): number =>
    measurements
      .filter((each) => each.metric === metric)
      .filter((each) => Object.entries(labels).every(([name, value]) => each.labels[name] === value))
      .reduce((sum, { value }) => sum + value, 0);
  return { messaging, measurements, complaints, total };
}

/** Closes what a test opened in reverse order, also after failures. */
export class Closing {
  private readonly closers: (() => Promise<unknown>)[] = [];

  add<T>(thing: T, close: (thing: T) => Promise<unknown>): T {
    this.closers.push(() => close(thing));
    return thing;
  }

  async closeAll(): Promise<void> {
    for (const close of this.closers.splice(0).reverse()) await close();
  }
}

function ignore(): void {
  // Irrelevant to a test.
}
