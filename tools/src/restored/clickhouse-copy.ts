import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { EXIT_FLAGS, NODE_BINARY, REPOSITORY_ROOT } from '@truetally/processes';

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
  const program = join(REPOSITORY_ROOT, 'apps', 'analytics', 'dist', 'restored.js');
  const child = spawn(NODE_BINARY, [...EXIT_FLAGS, program, '--to', restoredTo.toISOString()], {
    env: { ...environment, DATABASE_SCHEMA: schema },
    stdio: 'inherit',
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error("ClickHouse's copy was not taken back; it can be repeated.");
}
