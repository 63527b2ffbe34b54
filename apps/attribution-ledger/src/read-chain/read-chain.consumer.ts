import { Controller } from '@nestjs/common';
import type { AskChain, ChainResource } from '@truetally/contracts/attribution';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Reply } from '@truetally/kernel';
import { Handles } from '@truetally/messaging';
import { whileAvailable } from '@truetally/service';
import { presentVerification } from '../domain/verified-chain.js';
import { VerificationStore } from '../storage/verification.store.js';

@Controller()
export class ReadChainConsumer {
  constructor(private readonly results: VerificationStore) {}

  @Handles(OPERATIONS.readChain)
  readChain({ site_id: siteId }: AskChain): Promise<Reply<ChainResource>> {
    return whileAvailable(async () => {
      const known = await this.results.read(siteId);
      const { head } = known;
      return { ok: { website_id: siteId, head, last_verification: presentVerification(known) } };
    });
  }
}
