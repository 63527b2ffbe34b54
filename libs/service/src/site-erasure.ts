import { Controller, type Type } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { type JobStepReport, readEraseSite } from '@truetally/contracts/jobs';
import type { Reply } from '@truetally/kernel';
import { whileAvailable } from './while-available.js';

/** How a service takes away what it keeps of a deleted site. */
export interface SiteErasure {
  /**
   * One piece of it, some tens of milliseconds long.
   * @param name of this very piece: asked for again under it, nothing is done and the first report is given
   * @param cursor of the report before, null at the beginning
   * @throws what Postgres says; the piece may be asked for again
   */
  step(name: string, siteId: string, cursor: string | null): Promise<JobStepReport>;
}

/** What answers management, whose jobs ask every service that keeps something of sites (contracts: `eraseSite`). */
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
