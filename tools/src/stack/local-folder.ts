import { join, resolve } from 'node:path';
import { REPOSITORY_ROOT } from '@truetally/processes';

/** All files of the local stack, in one folder that git ignores. */
export interface LocalFolder {
  readonly path: string;
  readonly lock: string;
  /** Describes the stack for other programs; exists exactly while it is ready. */
  readonly stackFile: string;
  readonly secrets: string;
  /** The keys that seal click values. */
  readonly keyring: string;
  /** The signing keys of the local OpenID Connect issuer. */
  readonly issuerKeys: string;
  /** Pictures. */
  readonly media: string;
  readonly demo: string;
  readonly kafka: string;
  readonly postgres: string;
  readonly logs: string;
  /** A record of every running process of the stack. */
  readonly processes: string;
}

/** Prefix of the name of each service's role in the stack's Postgres. */
export const LOCAL_ROLE_PREFIX = 'truetally_';

/** `.local` in the checkout, or the folder in TRUETALLY_LOCAL_DIR: several stacks need several folders. */
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
