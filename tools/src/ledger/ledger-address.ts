import { resolve } from 'node:path';
import { readPrivateJson } from '../stack/private-file.js';
import { localFolder } from '../stack/local-folder.js';
import { type LedgerAddress } from './database-source.js';

/** The user's working folder: npm runs scripts in the folder of the package. */
export function givenPath(file: string, environment: NodeJS.ProcessEnv): string {
  return resolve(environment['INIT_CWD'] ?? '.', file);
}

const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * DATABASE_URL and DATABASE_SCHEMA when they are set, otherwise those of the running local stack.
 * @throws Error that names the missing one
 */
export function ledgerAddress(environment: NodeJS.ProcessEnv): LedgerAddress {
  const schema = environment['DATABASE_SCHEMA'] ?? 'attribution_ledger';
  if (!SCHEMA.test(schema)) throw new Error('DATABASE_SCHEMA must be a lower-case SQL identifier.');
  return { databaseUrl: environment['DATABASE_URL'] ?? ofLocalStack(environment), schema };
}

function ofLocalStack(environment: NodeJS.ProcessEnv): string {
  const { path, stackFile } = localFolder(environment);
  const stack = readPrivateJson(stackFile) as { readonly database_url: string } | null;
  if (stack !== null) return stack.database_url;
  throw new Error(`No stack runs in ${path}: start one with "npm start", or set DATABASE_URL.`);
}
