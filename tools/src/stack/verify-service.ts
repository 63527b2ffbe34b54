import { ledgerAddress } from '../ledger/ledger-address.js';
import { runServiceProgram } from './service-program.js';

const NOT_VERIFIED = 2;

/**
 * Runs a service's own verification, which computes what the service has stored, on the database of DATABASE_URL or
 * of the running local stack.
 * @param app its folder; DATABASE_SCHEMA is by default a schema of that name
 * @param compared settings that name schemas of others, to compare with, and these schemas in a local stack
 * @returns the exit code: 0 sound, 1 a sum that differs, 2 could not be verified
 */
export async function verifyService(
  app: string,
  environment: NodeJS.ProcessEnv,
  compared: Readonly<Record<string, string>> = {},
): Promise<number> {
  try {
    const schema = environment['DATABASE_SCHEMA'] ?? app.replaceAll('-', '_');
    const { databaseUrl } = ledgerAddress(environment);
    const ofOthers = environment['DATABASE_URL'] === undefined ? compared : {};
    const env = { ...ofOthers, ...environment, DATABASE_URL: databaseUrl, DATABASE_SCHEMA: schema };
    return (await runServiceProgram(app, 'verify', env)) ?? NOT_VERIFIED;
  } catch (error) {
    console.error(`Not verified: ${error instanceof Error ? error.message : String(error)}`);
    return NOT_VERIFIED;
  }
}
