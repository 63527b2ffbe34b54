import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newKeyring, writeKeyringFile } from '@truetally/keyring';
import { freePort, ID_TOKEN_AUDIENCE, newIssuerKeys, writeIssuerKeys } from '@truetally/processes';
import { type TestStack, uniqueName } from '@truetally/testing';
import { newProductSecrets } from './secrets.js';
import type { Installation } from './services.js';

/** An installation that shares only Kafka and Postgres with others. */
export async function newInstallation(
  { kafkaBrokers, databaseUrl }: TestStack,
  dashboardOrigins: readonly string[] = [],
): Promise<Installation> {
  const name = uniqueName('t');
  // A separate folder, so that a rotation can write its next state beside a file.
  const folder = mkdtempSync(join(tmpdir(), 'truetally-installation-'));
  const keyringFile = join(folder, 'keyring.json');
  writeKeyringFile(keyringFile, newKeyring(Date.now()));
  const keysFile = join(folder, 'issuer-keys.json');
  writeIssuerKeys(keysFile, await newIssuerKeys());
  return {
    kafkaBrokers,
    databaseUrl,
    topicPrefix: `${name}.`,
    schemaPrefix: `${name}_`,
    rolePrefix: `${name}_`,
    secrets: newProductSecrets(),
    keyringFile,
    mediaDirectory: join(folder, 'media'),
    issuer: { port: await freePort(), keysFile, clientId: ID_TOKEN_AUDIENCE, dashboardOrigins },
  };
}
