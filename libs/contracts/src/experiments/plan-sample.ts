import { FiniteNumber, OrNull } from '../validation/decorators.js';

/**
 * `experiments.queries/plan-sample`: the query of `GET /partner-experiments/required-sample`. The gateway has
 * validated each number.
 */
export class PlanSample {
  @FiniteNumber() readonly baseline_rate!: number;
  @FiniteNumber() readonly minimum_detectable_effect!: number;
  @FiniteNumber() readonly alpha!: number;
  @FiniteNumber() readonly power!: number;
  @FiniteNumber() readonly control_share!: number;
  @OrNull() @FiniteNumber() readonly daily_sessions!: number | null;
}
