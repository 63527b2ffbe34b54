import type { ReadWithheld } from '@truetally/contracts/experiments';
import type { Pool } from 'pg';
import { assignmentIdOf } from '../domain/names.js';

interface LiveRow {
  readonly experiment_id: string;
  readonly site_id: string;
  readonly campaign_ids: readonly string[];
}

/** What the arms of sessions withhold now (interface page, section 7). */
export class WithheldStore {
  constructor(private readonly pool: Pool) {}

  /** The campaigns withheld from each session, in the order of the queries. */
  async find(questions: readonly ReadWithheld[]): Promise<readonly (readonly string[])[]> {
    const running = await this.readRunning(questions);
    const asked = questions.map(({ site_id, session_id }) =>
      running
        .filter((experiment) => experiment.site_id === site_id)
        .map(({ experiment_id, campaign_ids }) => ({
          id: assignmentIdOf(experiment_id, session_id),
          campaign_ids,
        })),
    );
    const inControl = await this.readControl(asked.flat().map(({ id }) => id));
    return asked.map((one) => one.flatMap(({ id, campaign_ids }) => (inControl.has(id) ? campaign_ids : [])));
  }

  private async readRunning(questions: readonly ReadWithheld[]): Promise<readonly LiveRow[]> {
    const { rows } = await this.pool.query<LiveRow>({
      name: 'read-running-of-sites',
      text: `select experiment_id, site_id, campaign_ids from experiments
        where site_id = any($1::uuid[]) and state = 'running'`,
      values: [[...new Set(questions.map(({ site_id }) => site_id))]],
    });
    return rows;
  }

  private async readControl(assignmentIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (assignmentIds.length === 0) return new Set();
    const { rows } = await this.pool.query<{ assignment_id: string }>({
      name: 'read-control',
      text: `select a.assignment_id from unnest($1::uuid[]) as asked (id)
        cross join lateral (select * from assignments a where a.assignment_id = asked.id limit 1) a
        where a.variant = 'control'`,
      values: [assignmentIds],
    });
    return new Set(rows.map((row) => row.assignment_id));
  }
}
