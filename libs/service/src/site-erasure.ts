import { Controller, type Type } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { type JobStepReport, readEraseSite } from '@truetally/contracts/jobs';
import type { Reply } from '@truetally/kernel';
import { whileAvailable } from './while-available.js';

/** How a service deletes its data of a deleted site. */
export interface SiteErasure {
  /**
   * One piece of it, some tens of milliseconds long.
   * @param name of this piece; repeated under the same name, it does nothing and returns the first report
   * @param cursor of the previous report, null for the first piece
   * @throws Postgres' error; the piece may be repeated
   */
  step(name: string, siteId: string, cursor: string | null): Promise<JobStepReport>;
}

/**
 * Answers management, whose jobs ask every service with data of sites to erase it (contracts: `eraseSite`).
 */
export function siteErasureConsumer(topic: string, erasure: SiteErasure): Type {
  @Controller()
  class SiteErasureConsumer {
    @MessagePattern(topic)
    async runJobStep(@Payload() body: unknown): Promise<Reply<JobStepReport>> {
      const step = readEraseSite(body);
      if (!step.ok) return { error: step.error };
      const { name, siteId, cursor } = step.value;
      return { ok: await whileAvailable(() => erasure.step(name, siteId, cursor)) };
    }
  }
  return SiteErasureConsumer;
}
