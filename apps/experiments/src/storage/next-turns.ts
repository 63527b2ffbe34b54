import type { Pool } from 'pg';
import type { Round } from './exclusion-rounds.js';

/** What has waited longest for its turn; undefined where nothing waits. */
export interface NextTurns {
  /** Whose facts were set aside. */
  readonly siteId: string | undefined;
  readonly round: Round | undefined;
}

interface Row {
  readonly site_id: string | null;
  readonly experiment_id: string | null;
  readonly site_of_experiment: string | null;
}

/** One statement, planned once: each replica asks every second, and mostly nothing waits. */
export async function nextTurns(pool: Pool): Promise<NextTurns> {
  const { rows } = await pool.query<Row>({
    name: 'next-turns',
    text: `select site.site_id, round.experiment_id, round.site_id as site_of_experiment from (select) as one
      left join (select site_id from sites_to_fold
        where next_at <= now() order by next_at, site_id limit 1) as site on true
      left join (select experiment_id, site_id from exclusion_rounds
        where next_at <= now() order by next_at, experiment_id limit 1) as round on true`,
  });
  const { site_id: siteId, experiment_id: experimentId, site_of_experiment: siteOf } = rows[0] ?? NOTHING;
  const round = experimentId === null || siteOf === null ? undefined : { experimentId, siteId: siteOf };
  return { siteId: siteId ?? undefined, round };
}

const NOTHING: Row = { site_id: null, experiment_id: null, site_of_experiment: null };
