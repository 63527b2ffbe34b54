import type { ArmCounts, SampleRatio } from '@truetally/contracts/experiments';
import { REASONS } from './arm-estimates.js';
import { chiSquareUpper } from './distributions.js';

/** Below it, a test of the ratio has no meaning. */
const SUFFICIENT_SESSIONS = 100;
const MISMATCH_P_VALUE = 0.001;

/**
 * Pearson's chi-square of the arms against their allocation. An arm of weight zero has no expected sessions:
 * it does not count for the degrees of freedom, and any session in it is a mismatch (interface page, section
 * 7).
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
  return { state: isMismatch ? 'mismatch' : state, ...counts, chi_square: chiSquare, p_value: pValue };
}

const ARMS = ['control', 'treatment'] as const;

function noTest(reason: string): Pick<SampleRatio, 'chi_square' | 'p_value' | 'reason'> {
  return { chi_square: null, p_value: null, reason };
}
