import { connect } from 'node:net';
import { type Admin, type ISocketFactory, type Kafka, type RetryOptions } from 'kafkajs';
import { kafkajs } from './driver-speed/kafkajs.js';
import {
  CONNECTION_TIMEOUT_MS,
  DRIVER_RETRIES,
  REQUEST_TIMEOUT_MS,
  RETRY_INITIAL_MS,
  RETRY_MAX_MS,
} from './limits.js';
import { driverLog, type MessagingLog } from './log.js';

export interface DriverOptions {
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly log: MessagingLog;
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
export function createDriver({ brokers, clientId, log }: DriverOptions, retry = RETRIES): Kafka {
  return new kafkajs.Kafka({
    clientId,
    brokers: [...brokers],
    logLevel: kafkajs.logLevel.WARN,
    logCreator: driverLog(log),
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    retry,
    socketFactory: promptSocket,
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

const KEEP_ALIVE_MS = 60_000;

/** The driver's own factory leaves Nagle's algorithm on, which delays a small second request. */
const promptSocket: ISocketFactory = ({ host, port, onConnect }) => {
  const socket = connect({ host, port }, onConnect);
  socket.setNoDelay(true);
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  return socket;
};
