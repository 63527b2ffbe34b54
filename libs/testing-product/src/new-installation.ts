import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newKeyring, writeKeyringFile } from '@truetally/keyring';
import { type TestStack, uniqueName } from '@truetally/testing';
import { newProductSecrets } from './secrets.js';
import { type Installation } from './services.js';

/** An installation that shares Kafka and Postgres with others and nothing else. */
export function newInstallation({ kafkaBrokers, databaseUrl }: TestStack): Installation {
  const name = uniqueName('t');
  return {
    kafkaBrokers,
    databaseUrl,
    topicPrefix: `${name}.`,
    schemaPrefix: `${name}_`,
    rolePrefix: `${name}_`,
    secrets: newProductSecrets(),
    keyringFile: newKeyringFile(),
  };
}

/** In a folder of its own, so that a rotation can put its next state beside it. */
function newKeyringFile(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'truetally-keyring-')), 'keyring.json');
  writeKeyringFile(file, newKeyring(Date.now()));
  return file;
}
