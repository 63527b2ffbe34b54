import { Injectable } from '@nestjs/common';
import { judgeRows, readProfilesImport } from '@truetally/contracts/management';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Exchange } from '../http/exchange.js';
import { refuse } from '../http/respond.js';
import { ResourceApi } from '../ask/resource.js';

/** Imports of profiles by a shop's backend: each row is judged by itself, and the job merges the good ones. */
@Injectable()
export class ProfileImporter {
  constructor(private readonly api: ResourceApi) {}

  async import(exchange: Exchange): Promise<void> {
    const caller = exchange.callerOfSite();
    const body = exchange.takeBody();
    const rows = readProfilesImport(body);
    if (!rows.ok) return refuse(exchange, 'broken-rules', rows.error);
    await this.api.acceptReceived(
      exchange,
      { to: OPERATIONS.beginProfilesImport },
      {
        caller,
        body: { site_id: caller.siteId, rows: judgeRows(rows.value) },
        fingerprinted: JSON.stringify(body),
      },
    );
  }

  /** Of any import of the key's site. */
  read(exchange: Exchange, jobId: string): Promise<void> {
    const { siteId } = exchange.callerOfSite();
    const params = { job_id: jobId };
    return this.api.read(exchange, {
      to: OPERATIONS.readProfilesImport,
      params,
      filters: { site_id: siteId },
    });
  }
}
