import { randomUUID } from 'node:crypto';
import { type Messaging, subscribe } from '@truetally/messaging';
import { eventually } from '@truetally/processes';
import { type LaunchedProduct, openMessaging } from '@truetally/testing-product';
import { FactFormats } from './fact-formats.js';
import { runTool } from './run-tool.js';

const READ_MS = 120_000;
const SHOWN = 3;
const VERIFICATIONS = [
  ['ledger-verify', 'attribution-ledger'],
  ['experiments-verify', 'experiments'],
  ['publisher-verify', 'publisher-analytics'],
  ['analytics-verify', 'analytics'],
] as const;

/**
 * Verifies the sums of all services, and the format of every fact on Kafka, also of those that earlier scenarios left.
 * @returns what is wrong
 */
export async function unsoundness(product: LaunchedProduct, databaseUrl: string): Promise<readonly string[]> {
  const { kafkaBrokers, topicPrefix } = product.installation;
  const messaging = await openMessaging(kafkaBrokers, topicPrefix, 'soundness');
  try {
    // By now the followers have read all facts, too, so that the sums have them.
    const malformed = await malformedFacts(messaging);
    return [...malformed, ...(await wrongSums(product, databaseUrl))];
  } finally {
    await messaging.close();
  }
}

async function malformedFacts(messaging: Messaging): Promise<readonly string[]> {
  const formats = new FactFormats();
  const { topics } = formats;
  const group = `soundness-${randomUUID()}`;
  const malformed = new Map<string, string>();
  const reading = await subscribe(messaging, {
    topics,
    group,
    handler: (facts) => {
      for (const { topic, partition, offset, value } of facts) {
        const fault = formats.faultOf(topic, value);
        if (fault !== undefined) malformed.set(`${topic} ${partition}:${offset}`, fault);
      }
      return Promise.resolve();
    },
  });
  let behind = '';
  try {
    await eventually(
      async () => {
        const lags = (await messaging.lag()).filter(({ topic }) => topics.includes(topic));
        behind = lags
          .flatMap(({ group: reader, topic, partition, lag }) =>
            lag === 0 ? [] : [`${reader} ${lag} of ${topic} ${partition}`],
          )
          .join(', ');
        return lags.some((lag) => lag.group === group) && behind === '';
      },
      { timeoutMs: READ_MS, message: () => `every fact to be read by its followers; behind: ${behind}` },
    );
  } finally {
    await reading.close();
  }
  await messaging.administer((admin) => admin.deleteGroups([messaging.prefixed(group)]));
  const shown = Array.from(malformed, ([place, fault]) => `${place}: ${fault}`).slice(0, SHOWN);
  return malformed.size === 0 ? [] : [`${malformed.size} malformed facts, such as ${shown.join('; ')}`];
}

async function wrongSums(product: LaunchedProduct, databaseUrl: string): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const [command, service] of VERIFICATIONS) {
    const fault = await runTool({
      command,
      env: {
        DATABASE_URL: databaseUrl,
        DATABASE_SCHEMA: product.schema(service),
        INGESTION_SCHEMA: product.schema('ingestion'),
        LEDGER_SCHEMA: product.schema('attribution-ledger'),
      },
    });
    if (fault !== undefined) faults.push(fault);
  }
  return faults;
}
