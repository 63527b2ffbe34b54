import { type Admin, type Kafka, type RetryOptions } from 'kafkajs';
import { kafkajs } from './driver-speed/kafkajs.js';
import {
  CONNECTION_TIMEOUT_MS,
  DRIVER_RETRIES,
  REQUEST_TIMEOUT_MS,
  RETRY_INITIAL_MS,
  RETRY_MAX_MS,
} from './limits.js';
import { driverLog, type MessagingLog } from './log.js';
import { type KafkaSecurity, socketFactory } from './security.js';

export interface DriverOptions {
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly log: MessagingLog;
  readonly security: KafkaSecurity;
  /** Answers are megabytes. */
  readonly readsMuch?: boolean;
}

const RETRIES: RetryOptions = {
  initialRetryTime: RETRY_INITIAL_MS,
  maxRetryTime: RETRY_MAX_MS,
  retries: DRIVER_RETRIES,
};

/**
 * A separate client for each producer and consumer: the driver shares offsets between the consumers of one
 * client, and a replacement must start without its predecessor's state.
 */
export function createDriver(
  { brokers, clientId, log, security, readsMuch = false }: DriverOptions,
  retry = RETRIES,
): Kafka {
  return new kafkajs.Kafka({
    clientId,
    brokers: [...brokers],
    logLevel: kafkajs.logLevel.WARN,
    logCreator: driverLog(log),
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    retry,
    socketFactory: socketFactory(security.tls, readsMuch),
    ...(security.sasl !== undefined && { sasl: security.sasl }),
  });
}

/** Runs one administrative task on a connection of its own. */
export async function administer<T>(options: DriverOptions, work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = createDriver(options).admin();
  try {
    await admin.connect();
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}
