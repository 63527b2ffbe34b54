import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { ALL_TOPICS } from '@truetally/contracts/services';
import { OPERATIONS, TOPICS } from '@truetally/contracts/topics';
import { readAddress } from '@truetally/kernel';
import { commandHeaders, REQUEST_ID_HEADER } from '@truetally/messaging';
import { openMessaging } from '@truetally/testing-product';
import { localFolder } from '../stack/local-folder.js';
import { readPrivateJson } from '../stack/private-file.js';

const FAILED = 1;
const OPTIONS = {
  topic: { type: 'string', default: TOPICS.trackEvent.name },
  value: { type: 'string', default: '{"poison":true}' },
  key: { type: 'string', default: 'poison' },
  'request-id': { type: 'string' },
} as const;

/**
 * `npm run poison`: writes an unreadable message to a topic of the running local stack, like a broken Kafka
 * client, and prints the id of its dead letter. For development only: it uses only the cluster of `stack.json`.
 * @returns the exit code
 */
export async function runPoison(
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  try {
    const { path, stackFile } = localFolder(environment);
    const stack = readPrivateJson(stackFile) as { readonly kafka_brokers: string } | null;
    if (stack === null) throw new Error(`No stack runs in ${path}: start one with "npm start".`);
    const { values } = parseArgs({ args: [...parameters], options: OPTIONS });
    const { topic, value, key, 'request-id': requestId = randomUUID() } = values;
    const known = [
      ...ALL_TOPICS.map(({ name }) => name),
      ...Object.values(OPERATIONS).map(({ address }) => address),
    ];
    if (!known.includes(topic)) throw new Error(`--topic must be one of ${known.join(', ')}.`);
    const messaging = await openMessaging(stack.kafka_brokers, '', 'poison');
    try {
      const address = readAddress(topic);
      const headers = commandHeaders(randomUUID(), address.operation);
      const identified = { ...headers, [REQUEST_ID_HEADER]: requestId };
      await messaging.publish([{ topic: address.topic, key, value, headers: identified }]);
    } finally {
      await messaging.close();
    }
    console.log(JSON.stringify({ topic, request_id: requestId }));
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return FAILED;
  }
}
