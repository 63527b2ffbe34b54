import type { AskChain, ChainResource } from '@truetally/contracts/attribution';
import type { Reply } from '@truetally/kernel';
import { whileAvailable } from '@truetally/service';
import { presentVerification } from '../domain/verified-chain.js';
import type { VerificationStore } from '../storage/verification.store.js';

export const readChain =
  (results: VerificationStore) =>
  ({ site_id: siteId }: AskChain): Promise<Reply<ChainResource>> =>
    whileAvailable(async () => {
      const known = await results.read(siteId);
      const { head } = known;
      return { ok: { website_id: siteId, head, last_verification: presentVerification(known) } };
    });
