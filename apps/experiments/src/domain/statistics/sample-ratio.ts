import type { ArmCounts, SampleRatio } from '@truetally/contracts/experiments';
import logGamma from '@stdlib/math-base-special-gammaln';
import { REASONS } from './arm-estimates.js';
import { chiSquareUpper } from './distributions.js';

/** Below it, a test of the ratio has no meaning. */
const SUFFICIENT_SESSIONS = 100;
const MISMATCH_P_VALUE = 0.001;

/**
 * Pearson's chi-square of the arms against their allocation. An arm of weight zero has no expected sessions:
 * it does not count for the degrees of freedom, and any session in it is a mismatch (interface page, section
 * 7). Looked at again and again, it finds more false mismatches than its level; `always_valid_p_value` does
 * not.
 */
export function sampleRatio(observed: ArmCounts, allocation: ArmCounts): SampleRatio {
  const total = observed.control + observed.treatment;
  const expected = { control: total * allocation.control, treatment: total * allocation.treatment };
  const counts = { expected, observed };
  const hasStray = ARMS.some((arm) => allocation[arm] === 0 && observed[arm] > 0);
  if (hasStray) return { state: 'mismatch', ...counts, ...noTest('session_in_arm_of_weight_zero') };
  const state = total < SUFFICIENT_SESSIONS ? 'insufficient' : 'ok';
  if (total === 0) return { state, ...counts, ...noTest(REASONS.noSessions) };
  const weighted = ARMS.filter((arm) => allocation[arm] > 0);
  if (weighted.length < 2) return { state, ...counts, ...noTest('one_arm') };
  const terms = weighted.map((arm) => (observed[arm] - expected[arm]) ** 2 / expected[arm]);
  const chiSquare = terms.reduce((left, right) => left + right, 0);
  const pValue = chiSquareUpper(chiSquare, weighted.length - 1);
  const isMismatch = state === 'ok' && pValue < MISMATCH_P_VALUE;
  return {
    state: isMismatch ? 'mismatch' : state,
    ...counts,
    chi_square: chiSquare,
    p_value: pValue,
    always_valid_p_value: alwaysValidPValue(observed, allocation),
  };
}

/**
 * The sample ratio of one of several parts of the sessions. It is looked at while the sessions arrive, beside
 * all others, so that its state follows the always-valid p-value times the number of parts (Bonferroni).
 */
export function sampleRatioOfPart(observed: ArmCounts, allocation: ArmCounts, parts: number): SampleRatio {
  const ratio = sampleRatio(observed, allocation);
  if (ratio.always_valid_p_value === null) return ratio;
  const corrected = Math.min(1, parts * ratio.always_valid_p_value);
  if (ratio.state === 'insufficient') return { ...ratio, always_valid_p_value: corrected };
  const state = corrected < MISMATCH_P_VALUE ? 'mismatch' : 'ok';
  return { ...ratio, state, always_valid_p_value: corrected };
}

/**
 * A p-value that stays valid however often one looks: the inverse of the likelihood ratio of a mixture of other
 * shares to the planned one, which exceeds 1/α at any time with probability α at most (Lindon and Malek,
 * "Anytime-valid inference for multinomial count data", NeurIPS 2022). The mixture is the beta distribution
 * around the planned share that weighs as much as `PRIOR_SESSIONS`. It is exact for every number of sessions.
 */
function alwaysValidPValue({ control, treatment }: ArmCounts, allocation: ArmCounts): number {
  const [more, less] = [PRIOR_SESSIONS * allocation.control, PRIOR_SESSIONS * allocation.treatment];
  const evidence =
    logBeta(more + control, less + treatment) -
    logBeta(more, less) -
    control * Math.log(allocation.control) -
    treatment * Math.log(allocation.treatment);
  return Math.min(1, Math.exp(-evidence));
}

const PRIOR_SESSIONS = 100;

function logBeta(left: number, right: number): number {
  return logGamma(left) + logGamma(right) - logGamma(left + right);
}

const ARMS = ['control', 'treatment'] as const;

function noTest(
  reason: string,
): Pick<SampleRatio, 'always_valid_p_value' | 'chi_square' | 'p_value' | 'reason'> {
  return { chi_square: null, p_value: null, always_valid_p_value: null, reason };
}
