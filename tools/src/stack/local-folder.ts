import { join, resolve } from 'node:path';
import { REPOSITORY_ROOT } from '@truetally/processes';

/** Everything that the local stack keeps, under one folder that git ignores. */
export interface LocalFolder {
  readonly path: string;
  readonly lock: string;
  /** What others read to find the stack: there exactly while it runs and is ready. */
  readonly stackFile: string;
  readonly secrets: string;
  /** The keys that click values are sealed with. */
  readonly keyring: string;
  /** What the local OpenID Connect issuer signs with. */
  readonly issuerKeys: string;
  /** Pictures. */
  readonly media: string;
  readonly demo: string;
  readonly kafka: string;
  readonly postgres: string;
  readonly logs: string;
  /** A note of every process that the stack has started and that has not ended. */
  readonly processes: string;
}

/** `.local` in the checkout, or what TRUETALLY_LOCAL_DIR names: several stacks need several folders. */
export function localFolder(environment: NodeJS.ProcessEnv): LocalFolder {
  const named = environment['TRUETALLY_LOCAL_DIR'];
  const path = named === undefined || named === '' ? join(REPOSITORY_ROOT, '.local') : resolve(named);
  return {
    path,
    lock: join(path, 'stack.lock'),
    stackFile: join(path, 'stack.json'),
    secrets: join(path, 'secrets.json'),
    keyring: join(path, 'keyring.json'),
    issuerKeys: join(path, 'issuer-keys.json'),
    media: join(path, 'media'),
    demo: join(path, 'demo.json'),
    kafka: join(path, 'kafka'),
    postgres: join(path, 'postgres'),
    logs: join(path, 'logs'),
    processes: join(path, 'processes'),
  };
}
