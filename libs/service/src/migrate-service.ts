import { migrate, type MigrationConstructor } from '@truetally/persistence';
import { type Configuration, createLogger, databaseUrlOf, type migrationSettings } from '@truetally/platform';

/**
 * The migration step of a service, run by its own program before the service starts. A part of its own of the package:
 * of what a service needs, a migration loads a third.
 */
export async function migrateService(
  service: string,
  config: Configuration<ReturnType<typeof migrationSettings>>,
  migrations: readonly MigrationConstructor[],
): Promise<void> {
  const log = createLogger({ service, instance: 'migrate', level: config.LOG_LEVEL });
  const done = await migrate({
    url: databaseUrlOf(config),
    schema: config.DATABASE_SCHEMA,
    role: config.DATABASE_ROLE,
    rolePassword: config.DATABASE_ROLE_PASSWORD === '' ? undefined : config.DATABASE_ROLE_PASSWORD,
    migrations,
  });
  log.info({ migrations: done }, 'The schema is up to date.');
}
