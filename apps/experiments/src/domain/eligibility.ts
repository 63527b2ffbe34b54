import type { ExperimentFields } from '@truetally/contracts/experiments';

/** What eligibility needs to know of a touch. */
export interface KnownTouch {
  readonly provider: string;
  readonly partnerId: string | null;
}

/**
 * The first of a session's touches by which it is eligible: one touch that matches `providers` and `partner_ids` both; an
 * empty eligibility needs any touch (interface page, section 7).
 */
export function eligibleTouch(
  { providers, partner_ids }: ExperimentFields['eligibility'],
  touches: readonly KnownTouch[],
): KnownTouch | undefined {
  return touches.find(
    ({ provider, partnerId }) =>
      (providers.length === 0 || providers.includes(provider)) &&
      (partner_ids.length === 0 || (partnerId !== null && partner_ids.includes(partnerId))),
  );
}
