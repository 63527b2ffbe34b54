import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sums of cubes give the skewness of an arm's sessions, which its intervals need
 * (docs/decisions/experiments.md). Whole cubes of minor units: three times 20 digits, with room for the
 * number of sessions.
 *
 * A session's row is updated once for most sessions with orders: with free space on its page, its indexes
 * stay unchanged. The assignments of an experiment are never read together.
 */
export class Skewness1795536000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table arm_sums
        add column revenue_cubes numeric(90, 0) not null default 0,
        add column gross_profit_cubes numeric(90, 0) not null default 0,
        add column contribution_cubes numeric(90, 0) not null default 0;
      update arm_sums a set revenue_cubes = s.revenue, gross_profit_cubes = s.gross_profit,
        contribution_cubes = s.contribution
      from (
        select experiment_id, variant, sum(revenue * revenue * revenue) as revenue,
          sum(gross_profit * gross_profit * gross_profit) as gross_profit,
          sum(contribution * contribution * contribution) as contribution
        from session_results group by experiment_id, variant
      ) s
      where s.experiment_id = a.experiment_id and s.variant = a.variant;
      alter table session_results set (fillfactor = 80);
      drop index assignments_experiment`);
  }

  /** Migrations only go forward. */
  down(): Promise<void> {
    return Promise.reject(new Error('Sums of cubes are not dropped.'));
  }
}
