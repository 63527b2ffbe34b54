import { Controller, type Type } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { type JobStepReport, readEraseSite } from '@truetally/contracts/jobs';
import type { Reply } from '@truetally/kernel';
import type { SiteErasure } from './site-erasure.js';
import { whileAvailable } from './while-available.js';

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
