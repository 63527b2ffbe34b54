import type { PlanSample, RequiredSample } from '@truetally/contracts/experiments';
import { numberOf, type Reply } from '@truetally/kernel';
import { requiredSample } from '../domain/statistics/power.js';

export function planSample(plan: PlanSample): Reply<RequiredSample> {
  const sample = {
    baselineRate: numberOf(plan.baseline_rate),
    minimumDetectableEffect: numberOf(plan.minimum_detectable_effect),
    alpha: numberOf(plan.alpha),
    power: numberOf(plan.power),
  };
  const { daily_sessions: daily } = plan;
  return {
    ok: requiredSample(sample, numberOf(plan.control_share), daily === null ? null : numberOf(daily)),
  };
}
