import { runServiceProgram } from '../stack/service-program.js';

/**
 * Where ANALYTICS_STORE says that reports read of ClickHouse, it is taken back as Postgres was: a program of analytics,
 * whose copy it is, with the variables of its migration.
 * @throws Error when it was not
 */
export async function takeBackClickHouse(
  environment: NodeJS.ProcessEnv,
  schema: string,
  restoredTo: Date,
): Promise<void> {
  if (environment['ANALYTICS_STORE'] !== 'clickhouse') return;
  const env = { ...environment, DATABASE_SCHEMA: schema };
  const code = await runServiceProgram('analytics', 'restored', env, ['--to', restoredTo.toISOString()]);
  if (code !== 0) throw new Error("ClickHouse's copy was not taken back; it can be repeated.");
}
