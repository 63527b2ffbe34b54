import { join } from 'node:path';
import { SERVICE_NAMES, type ServiceName } from '@truetally/contracts/services';
import {
  ManagedProcess,
  NODE_BINARY,
  programEnvironment,
  REPOSITORY_ROOT,
  settleAll,
} from '@truetally/testing';
import { type Installation, migrationEnvironment } from './services.js';

/** Brings every service's schema up to date, as a deployment does: a process per service, before the services. */
export async function migrateProduct(installation: Installation, logFile?: string): Promise<void> {
  await settleAll(SERVICE_NAMES.map((service) => migrate(installation, service, logFile)));
}

async function migrate(installation: Installation, service: ServiceName, logFile?: string): Promise<void> {
  const migration = await ManagedProcess.start({
    name: `the migration of ${service}`,
    command: NODE_BINARY,
    args: [join(REPOSITORY_ROOT, 'apps', service, 'dist', 'migrate.js')],
    env: { ...programEnvironment(), ...migrationEnvironment(installation, service) },
    cwd: REPOSITORY_ROOT,
    ...(logFile === undefined ? {} : { logFile }),
  });
  const { code } = await migration.exited;
  if (code !== 0) {
    throw new Error(`The migration of ${service} ${migration.describeExit()}:\n${migration.tail()}`);
  }
}
