import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { NODE_BINARY, programEnvironment, REPOSITORY_ROOT } from '@truetally/processes';
import { localFolder } from '../stack/local-folder.js';
import { readPrivateJson } from '../stack/private-file.js';

const NOT_VERIFIED = 2;

/**
 * `npm run publisher:verify`: the service's own program recomputes every report from clicks and settlements, in
 * the database of `DATABASE_URL` and `DATABASE_SCHEMA`, or of the running local stack, and compares the clicks with
 * those of `INGESTION_SCHEMA`, if that is set or the stack is a local one.
 * @returns the exit code: 0 every sum is right, 1 some are not, 2 could not be verified
 */
export async function runPublisherVerify(environment: NodeJS.ProcessEnv): Promise<number> {
  const { DATABASE_URL: given } = environment;
  const databaseUrl = given ?? ofLocalStack(environment);
  if (databaseUrl === undefined) {
    console.error('Not verified: start a stack with "npm start", or set DATABASE_URL.');
    return NOT_VERIFIED;
  }
  const { DATABASE_SCHEMA: schema = 'publisher_analytics' } = environment;
  const { INGESTION_SCHEMA: ingestion = given === undefined ? 'ingestion' : '' } = environment;
  const program = spawn(
    NODE_BINARY,
    [join(REPOSITORY_ROOT, 'apps', 'publisher-analytics', 'dist', 'verify.js')],
    {
      env: {
        ...programEnvironment(),
        DATABASE_URL: databaseUrl,
        DATABASE_SCHEMA: schema,
        INGESTION_SCHEMA: ingestion,
      },
      stdio: 'inherit',
    },
  );
  const [code] = (await once(program, 'exit')) as [number | null];
  return code ?? NOT_VERIFIED;
}

function ofLocalStack(environment: NodeJS.ProcessEnv): string | undefined {
  const stack = readPrivateJson(localFolder(environment).stackFile) as {
    readonly database_url: string;
  } | null;
  return stack?.database_url;
}
