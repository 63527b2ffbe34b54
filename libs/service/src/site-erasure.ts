import type { JobStepReport } from '@truetally/contracts/jobs';
import { eraseOnce, eraseSetAside } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';

/** Erases one piece, some tens of milliseconds long, from the cursor of the previous one; from null at first. */
export type ErasePiece = (
  client: ClientBase,
  siteId: string,
  cursor: string | null,
) => Promise<JobStepReport>;

/** Deletes a service's data of a deleted site, step by step. */
export class SiteErasure {
  constructor(
    private readonly pool: Pool,
    private readonly erasePiece: ErasePiece,
    private readonly options: { readonly hasOutbox: boolean },
  ) {}

  /**
   * One step. The first stops recording for the site, the next waits for transactions that began before it; then
   * the service's pieces follow, the last one with the facts that Kafka refused. No step blocks others.
   * @param name of this step; repeated under the same name, it does nothing and returns the first report
   * @param cursor of the previous report, null for the first step
   * @throws Postgres' error; the step may be repeated
   */
  step(name: string, siteId: string, cursor: string | null): Promise<JobStepReport> {
    const idle = erasureReport({ cursor });
    return eraseOnce(this.pool, { name, cursor }, { siteId, idle }, async (client, from) => {
      const report = await this.erasePiece(client, siteId, from);
      if (report.cursor === null && this.options.hasOutbox) await eraseSetAside(client, 'site_id', siteId);
      return report;
    });
  }
}

/** A report of no work but what is given. */
export function erasureReport(given: Partial<JobStepReport> & Pick<JobStepReport, 'cursor'>): JobStepReport {
  return { found: 0, done: 0, stored: 0, failed: 0, errors: [], ...given };
}
