import { join } from 'node:path';
import { SERVICE_NAMES, type ServiceName } from '@truetally/contracts/services';
import {
  EXIT_FLAGS,
  ManagedProcess,
  NODE_BINARY,
  programEnvironment,
  programFile,
  REPOSITORY_ROOT,
} from '@truetally/processes';
import { type Environment, type Installation, migrationEnvironment, programsPath } from './services.js';

/** One service's migration program, and the environment that it reads. */
export interface Migration {
  /** A file's path. */
  readonly program: string;
  readonly environment: Environment;
}

const PROGRAM = join(REPOSITORY_ROOT, 'libs', 'testing-product', 'dist', 'migrate-each.js');

export interface MigrationOptions {
  /** Default: all. */
  readonly services?: readonly ServiceName[];
  readonly logFile?: string;
  /** In addition to each service's own. */
  readonly env?: Partial<Record<ServiceName, Environment>>;
  /** The repository whose builds are used. Default: this one. */
  readonly root?: string;
}

/** Brings the services' schemas up to date by their own programs, as a deployment does before it starts them. */
export async function migrateProduct(
  installation: Installation,
  { services = SERVICE_NAMES, logFile, env = {}, root = REPOSITORY_ROOT }: MigrationOptions = {},
): Promise<void> {
  const migrations = services.map((service): Migration => ({
    program: programFile(root, { app: service, programs: programsPath(service) }, 'migrate.js'),
    environment: { ...migrationEnvironment(installation, service), ...env[service] },
  }));
  const migration = await ManagedProcess.start({
    name: 'the migration',
    command: NODE_BINARY,
    args: [...EXIT_FLAGS, PROGRAM],
    env: { ...programEnvironment(), MIGRATIONS: JSON.stringify(migrations) },
    cwd: REPOSITORY_ROOT,
    ...(logFile === undefined ? {} : { logFile }),
  });
  const { code } = await migration.exited;
  if (code !== 0) throw new Error(`The migration ${migration.describeExit()}:\n${migration.tail()}`);
}
