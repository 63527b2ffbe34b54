import { createPool, isReachable, SharedReader } from '@truetally/persistence';
import { databaseUrlOf } from '@truetally/platform';
import type { Pool } from 'pg';
import type { ProcessContext, ProcessContextOptions } from './process-context.js';
import { observePool } from './observe-database.js';

export interface DatabaseOptions {
  readonly config: ProcessContextOptions['config'];
  readonly connections: number;
  /** Whether their statements are pipelined (PoolOptions). */
  readonly pipeline?: boolean;
}

/** A service's own schema in Postgres. */
export interface Database {
  readonly pool: Pool;
  readonly schema: string;
  /** A reader with connections of its own, beside the pool's. */
  openReader(connections: number): SharedReader;
}

/**
 * Connects when it is first asked something; until Postgres answers, the process is not ready.
 * @throws ConfigError for an incomplete configuration of TLS
 */
export function openDatabase(
  { config, connections, pipeline = false }: DatabaseOptions,
  { log, metrics, health }: Pick<ProcessContext, 'health' | 'log' | 'metrics'>,
): Database {
  const schema = config.DATABASE_SCHEMA;
  const options = {
    url: databaseUrlOf(config),
    schema,
    applicationName: config.INSTANCE_ID,
    onIdleError: (error: Error) => log.warn({ err: error }, 'A database connection broke; it is replaced.'),
  };
  const pool = createPool({ ...options, max: connections, pipeline });
  observePool(metrics, pool);
  health.add('postgres', () => isReachable(pool));
  return { pool, schema, openReader: (max) => new SharedReader({ ...options, max }) };
}
