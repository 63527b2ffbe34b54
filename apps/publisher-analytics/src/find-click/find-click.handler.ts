import { Inject, Injectable } from '@nestjs/common';
import { type FoundClick, readFindClick } from '@truetally/contracts/publisher';
import { failure, type Reply } from '@truetally/kernel';
import { UnreadableError } from '@truetally/messaging';
import { whileAvailable } from '@truetally/service';
import { SettlementReads } from '../storage/settlement-reads.js';

@Injectable()
export class FindClickHandler {
  constructor(@Inject(SettlementReads) private readonly reads: SettlementReads) {}

  async handle(message: unknown): Promise<Reply<object>> {
    const read = readFindClick(message);
    if (!read.ok) throw new UnreadableError(read.error);
    const found = await whileAvailable(() => this.reads.named(read.value.sites));
    if (found === undefined) return failure('NOT_FOUND', 'No click came with this reference.');
    const { siteId, click, clicks, settlements } = found;
    return { ok: { site_id: siteId, click, clicks, settlements } satisfies FoundClick };
  }
}
