import { Inject, Injectable } from '@nestjs/common';
import { type JobStepReport, readEraseSite } from '@truetally/contracts/jobs';
import type { Reply } from '@truetally/kernel';
import { whileAvailable } from '../storage/availability.js';
import { TouchErasure } from '../storage/touch.erasure.js';

/** Does one piece of a job that management runs. */
@Injectable()
export class RunJobStepHandler {
  constructor(@Inject(TouchErasure) private readonly erasure: TouchErasure) {}

  async handle(body: unknown): Promise<Reply<JobStepReport>> {
    const step = readEraseSite(body);
    if (!step.ok) return { error: step.error };
    const { name, siteId, cursor } = step.value;
    return { ok: await whileAvailable(() => this.erasure.step(name, siteId, cursor)) };
  }
}
