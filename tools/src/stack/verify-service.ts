import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '@truetally/processes';
import { ledgerAddress } from '../ledger/ledger-address.js';

const NOT_VERIFIED = 2;

/**
 * Runs a service's own verification, which computes what the service has stored, on the database of DATABASE_URL or
 * of the running local stack.
 * @param app its folder; DATABASE_SCHEMA is by default a schema of that name
 * @returns the exit code: 0 sound, 1 a sum that differs, 2 could not be verified
 */
export async function verifyService(app: string, environment: NodeJS.ProcessEnv): Promise<number> {
  try {
    const schema = environment['DATABASE_SCHEMA'] ?? app;
    const { databaseUrl } = ledgerAddress(environment);
    const program = join(REPOSITORY_ROOT, 'apps', app, 'dist', 'verify.js');
    return await exitOf(program, { ...environment, DATABASE_URL: databaseUrl, DATABASE_SCHEMA: schema });
  } catch (error) {
    console.error(`Not verified: ${error instanceof Error ? error.message : String(error)}`);
    return NOT_VERIFIED;
  }
}

function exitOf(program: string, env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program], { env, stdio: 'inherit' });
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? NOT_VERIFIED));
  });
}
