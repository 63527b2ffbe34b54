import { SEQUENCE, VERIFY_CHAIN } from '@truetally/contracts/attribution';
import type { JobStep, JobStepReport } from '@truetally/contracts/jobs';
import { failure, formatInstant, parseOwnJson, type Reply, UUID } from '@truetally/kernel';
import { whileAvailable } from '@truetally/service';
import type { Run } from '../domain/check-piece.js';
import type { VerificationStore } from '../storage/verification.store.js';
import { type ChainVerifier, runFrom } from '../verify-chain/chain-verifier.js';

/** Verifies one piece of a chain for management. The cursor is the run so far, so that a repetition is harmless. */
export class RunVerificationStepHandler {
  constructor(
    private readonly verifier: ChainVerifier,
    private readonly results: VerificationStore,
  ) {}

  handle({ step, params, cursor }: JobStep): Promise<Reply<JobStepReport>> {
    const { site_id: siteId = '', from_sequence: from = '' } = params;
    if (step !== VERIFY_CHAIN) {
      // From a newer version than this replica: a replica that is updated can do it.
      return Promise.resolve(failure('UNAVAILABLE', `The step ${step} is not known here.`));
    }
    if (!UUID.test(siteId) || !SEQUENCE.test(from)) {
      return Promise.resolve(failure('VALIDATION_ERROR', 'The step names no chain.'));
    }
    return whileAvailable(() =>
      cursor === null ? this.begin(siteId, from) : this.go(siteId, parse(cursor)),
    );
  }

  private async begin(siteId: string, from: string): Promise<Reply<JobStepReport>> {
    const { head } = await this.results.read(siteId);
    const end = BigInt(head?.sequence ?? 0);
    if (from !== '1' && BigInt(from) > end) {
      return failure('VALIDATION_ERROR', `The chain ends with record ${end}.`);
    }
    return this.go(siteId, runFrom(from, formatInstant(Date.now())));
  }

  private async go(siteId: string, run: Run): Promise<Reply<JobStepReport>> {
    const { run: next, piece, isEnded } = await this.verifier.next(siteId, run);
    const { broken, checked } = piece;
    const errors = broken === null ? [] : [errorOf(broken)];
    const failed = errors.length;
    const done = checked + failed;
    const cursor = isEnded ? null : JSON.stringify(next);
    return { ok: { cursor, found: done, done, stored: checked, failed, errors } };
  }
}

function errorOf({ sequence, reason }: { readonly sequence: string; readonly reason: string }) {
  return { row: Number(sequence), field: null, message: reason };
}

/** Written by this service. */
function parse(cursor: string): Run {
  return parseOwnJson(cursor) as Run;
}
