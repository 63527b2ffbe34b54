import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { readPlanSample, type RequiredSample } from '@truetally/contracts/experiments';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Reply } from '@truetally/kernel';
import { UnreadableError } from '@truetally/messaging';
import { requiredSample } from '../domain/statistics/power.js';

@Controller()
export class PlanSampleConsumer {
  @MessagePattern(OPERATIONS.planSample)
  planSample(@Payload() message: unknown): Reply<RequiredSample> {
    const plan = readPlanSample(message);
    if (!plan.ok) throw new UnreadableError(plan.error);
    const { baseline_rate, minimum_detectable_effect, alpha, power, control_share, daily_sessions } =
      plan.value;
    const sample = {
      baselineRate: baseline_rate,
      minimumDetectableEffect: minimum_detectable_effect,
      alpha,
      power,
    };
    return { ok: requiredSample(sample, control_share, daily_sessions) };
  }
}
