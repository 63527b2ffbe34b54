import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { newKeyring, writeKeyringFile } from '@truetally/keyring';
import { newIssuerKeys, writeIssuerKeys } from '@truetally/processes';
import { completeProductSecrets, newProductSecrets, type ProductSecrets } from '@truetally/testing-product';
import { readPrivateJson, writePrivateJson } from './private-file.js';

export interface StackSecrets {
  readonly postgresPassword: string;
  readonly product: ProductSecrets;
}

const PASSWORD_BYTES = 24;

/**
 * Created once, and kept as long as the data that they protect; a new service gets its own at the next start.
 */
export function stackSecrets(file: string): StackSecrets {
  const kept = readPrivateJson(file) as StackSecrets | null;
  const secrets =
    kept === null
      ? {
          postgresPassword: randomBytes(PASSWORD_BYTES).toString('base64url'),
          product: newProductSecrets(),
        }
      : { ...kept, product: completeProductSecrets(kept.product) };
  writePrivateJson(file, secrets);
  return secrets;
}

/** The same for the keys that seal click values. @returns the file, which every process reads itself */
export function stackKeyring(file: string): string {
  if (!existsSync(file)) writeKeyringFile(file, newKeyring(Date.now()));
  return file;
}

/** The same for the signing keys of the local issuer, so that tokens stay valid after a restart. */
export async function stackIssuerKeys(file: string): Promise<string> {
  if (!existsSync(file)) writeIssuerKeys(file, await newIssuerKeys());
  return file;
}
