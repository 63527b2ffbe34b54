import { parseArgs } from 'node:util';
import { kafkaSecurityOf, kafkaSecuritySettings, list, readConfig } from '@truetally/platform';
import { openMessaging } from '@truetally/testing-product';
import { FORMATS } from './access-formats.js';
import { accessRules, USUAL_NAMES } from './access-rules.js';

const FAILED = 1;
const OPTIONS = {
  'topic-prefix': { type: 'string', default: USUAL_NAMES.topicPrefix },
  'user-prefix': { type: 'string', default: USUAL_NAMES.userPrefix },
  'schema-prefix': { type: 'string', default: USUAL_NAMES.schemaPrefix },
  format: { type: 'string', default: 'table' },
  apply: { type: 'boolean', default: false },
} as const;

/**
 * `npm run kafka:access`: prints the permissions of each service, or applies them to the Kafka of
 * `KAFKA_BROKERS`. The other `KAFKA_` variables name a user who may alter the cluster.
 * @returns the exit code
 */
export async function runAccess(
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  try {
    const { values } = parseArgs({ args: [...parameters], options: OPTIONS });
    const { 'topic-prefix': topicPrefix, 'user-prefix': userPrefix, 'schema-prefix': schemaPrefix } = values;
    const rules = accessRules({ topicPrefix, userPrefix, schemaPrefix });
    if (!values.apply) {
      process.stdout.write(formatOf(values.format)(rules));
      return 0;
    }
    const config = readConfig(environment, { KAFKA_BROKERS: list({ min: 1 }), ...kafkaSecuritySettings() });
    const brokers = config.KAFKA_BROKERS.join(',');
    const messaging = await openMessaging(brokers, topicPrefix, 'kafka-access', kafkaSecurityOf(config));
    try {
      const { added, removed } = await messaging.setAccess(rules);
      console.log(`${rules.length} rules hold: ${added} added, ${removed} removed.`);
    } finally {
      await messaging.close();
    }
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return FAILED;
  }
}

function formatOf(name: string): (typeof FORMATS)[keyof typeof FORMATS] {
  if (name in FORMATS) return FORMATS[name as keyof typeof FORMATS];
  throw new Error(`--format must be one of ${Object.keys(FORMATS).join(', ')}.`);
}
