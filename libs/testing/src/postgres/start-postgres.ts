import {
  FOR_TESTS,
  type LocalPostgres,
  type PostgresOptions,
  startPostgres as start,
} from '@truetally/processes';

/** A Postgres that loses nothing when it is killed, and may lose everything when its machine is. */
export function startPostgres(options: PostgresOptions): Promise<LocalPostgres> {
  return start({ ...options, settings: { ...FOR_TESTS, ...options.settings } });
}
