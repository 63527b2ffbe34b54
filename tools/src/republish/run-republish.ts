import { localFolder } from '../stack/local-folder.js';
import { readPrivateJson } from '../stack/private-file.js';
import { runServiceProgram } from '../stack/service-program.js';

const FAILED = 1;

/**
 * `npm run clicks:republish`, `npm run conversions:republish`: the owner's own program publishes what was stored from `--from` to
 * `--to` again, in the installation of `DATABASE_URL` and `KAFKA_BROKERS`, or in the running local stack.
 * @returns the exit code: 0 done, 1 failed and may be repeated, 2 wrong use
 */
export async function runRepublish(
  app: 'ingestion' | 'attribution-ledger',
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const servers = environment['DATABASE_URL'] === undefined ? ofLocalStack(environment) : {};
  if (servers === undefined) {
    console.error('Not published: start a stack with "npm start", or set DATABASE_URL and KAFKA_BROKERS.');
    return FAILED;
  }
  const env = { ...environment, ...servers };
  return (await runServiceProgram(app, 'republish', env, parameters)) ?? FAILED;
}

function ofLocalStack(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv | undefined {
  const stack = readPrivateJson(localFolder(environment).stackFile) as {
    readonly database_url: string;
    readonly kafka_brokers: string;
  } | null;
  return stack === null
    ? undefined
    : { DATABASE_URL: stack.database_url, KAFKA_BROKERS: stack.kafka_brokers };
}
