import type { FindClick, FoundClick } from '@truetally/contracts/publisher';
import { failure, type Reply } from '@truetally/kernel';
import { whileAvailable } from '@truetally/service';
import type { SettlementReads } from '../storage/settlement-reads.js';

export const findClick =
  (reads: SettlementReads) =>
  async ({ sites }: FindClick): Promise<Reply<FoundClick>> => {
    const found = await whileAvailable(() => reads.named(sites));
    if (found === undefined) return failure('NOT_FOUND', 'No click came with this reference.');
    const { siteId, click, clicks, settlements } = found;
    return { ok: { site_id: siteId, click, clicks, settlements } };
  };
