import { localFolder } from './stack/local-folder.js';
import { readPrivateJson } from './stack/private-file.js';
import { runServiceProgram } from './stack/service-program.js';

const FAILED = 1;
const WRONG_USE = 2;
/** The service in whose tables the facts are. */
const OWNERS: Readonly<Record<string, string>> = {
  events: 'ingestion',
  clicks: 'ingestion',
  touches: 'attribution-ledger',
  conversions: 'attribution-ledger',
  assignments: 'experiments',
  settlements: 'publisher-analytics',
};

process.exit(await runRepublish(process.argv.slice(2), process.env));

/**
 * `npm run events:republish` and so on: the owner's own program publishes what was stored from `--from` to `--to` again, in the
 * installation of `DATABASE_URL` and `KAFKA_BROKERS`, or in the running local stack.
 * @returns the exit code: 0 done, 1 failed and may be repeated, 2 wrong use
 */
async function runRepublish(parameters: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const [facts = ''] = parameters;
  const owner = Object.hasOwn(OWNERS, facts) ? OWNERS[facts] : undefined;
  if (owner === undefined) {
    console.error(`Say one of: ${Object.keys(OWNERS).join(', ')}.`);
    return WRONG_USE;
  }
  const servers = environment['DATABASE_URL'] === undefined ? ofLocalStack(environment) : {};
  if (servers === undefined) {
    console.error('Not published: start a stack with "npm start", or set DATABASE_URL and KAFKA_BROKERS.');
    return FAILED;
  }
  return (await runServiceProgram(owner, 'republish', { ...environment, ...servers }, parameters)) ?? FAILED;
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
