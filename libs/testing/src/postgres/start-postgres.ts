import {
  type LocalPostgres,
  type PostgresOptions,
  startPostgres as start,
  WITHOUT_DISK,
} from '@truetally/processes';

/** A Postgres that loses nothing when it is killed, and may lose everything when its machine is. */
export function startPostgres(options: PostgresOptions): Promise<LocalPostgres> {
  return start({ ...options, settings: { ...WITHOUT_DISK, ...options.settings } });
}
