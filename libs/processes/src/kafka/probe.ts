import { connect } from 'node:net';
import kafkajs, { type KafkaConfig } from 'kafkajs';

const PROBE_TIMEOUT_MS = 2_000;

/** Whether the broker answers, knows its controller, and is not fenced. */
export async function isServing(
  brokers: string,
  security: Pick<KafkaConfig, 'sasl' | 'ssl'> = {},
): Promise<boolean> {
  if (!(await accepts(brokers))) return false;
  const kafka = new kafkajs.Kafka({
    clientId: 'truetally-probe',
    brokers: brokers.split(','),
    logLevel: kafkajs.logLevel.NOTHING,
    connectionTimeout: PROBE_TIMEOUT_MS,
    requestTimeout: PROBE_TIMEOUT_MS,
    retry: { retries: 0 },
    ...security,
  });
  const admin = kafka.admin();
  try {
    await admin.connect();
    const cluster = await admin.describeCluster();
    return cluster.controller !== null && cluster.brokers.length > 0;
  } catch {
    return false;
  } finally {
    await admin.disconnect();
  }
}

/** The driver logs loudly about a closed port, so that is checked first. */
function accepts(brokers: string): Promise<boolean> {
  const [host = '', port = ''] = (brokers.split(',')[0] ?? '').split(':');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port), timeout: PROBE_TIMEOUT_MS });
    const finish = (answer: boolean) => () => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', finish(true)).once('error', finish(false)).once('timeout', finish(false));
  });
}
