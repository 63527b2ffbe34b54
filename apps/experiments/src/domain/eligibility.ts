import type { ExperimentFields } from '@truetally/contracts/experiments';

/** The fields of a touch that eligibility needs. */
export interface KnownTouch {
  readonly key: string;
  /** The session that it makes eligible: the one that it names, or the first that was assigned by it; null: any one. */
  readonly owner: string | null;
  readonly provider: string;
  readonly partnerId: string | null;
}

/**
 * The first touch that makes a session eligible: a single touch must match both `providers` and
 * `partner_ids`; an empty eligibility accepts any touch (interface page, section 7).
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
