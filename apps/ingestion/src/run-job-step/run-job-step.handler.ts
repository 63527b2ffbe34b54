import { Inject, Injectable } from '@nestjs/common';
import { type JobStepReport, readEraseSite } from '@truetally/contracts/jobs';
import type { Reply } from '@truetally/kernel';
import { TransientError } from '@truetally/messaging';
import { isTransient } from '@truetally/persistence';
import { EventErasure } from '../storage/event.erasure.js';

/** Does one piece of a job that management runs. */
@Injectable()
export class RunJobStepHandler {
  constructor(@Inject(EventErasure) private readonly erasure: EventErasure) {}

  async handle(body: unknown): Promise<Reply<JobStepReport>> {
    const step = readEraseSite(body);
    if (!step.ok) return { error: step.error };
    const { name, siteId, cursor } = step.value;
    try {
      return { ok: await this.erasure.step(name, siteId, cursor) };
    } catch (error) {
      if (isTransient(error))
        throw new TransientError('Nothing can be erased at the moment.', { cause: error });
      throw error;
    }
  }
}
