import { Controller, type Type } from '@nestjs/common';
import {
  ERASE_PERSON,
  erasePersonOf,
  eraseSiteOf,
  type JobStep,
  type JobStepReport,
} from '@truetally/contracts/jobs';
import { jobStepOf, type ServiceEntry } from '@truetally/contracts/services';
import { failure, type Reply } from '@truetally/kernel';
import { Handles } from '@truetally/messaging';
import type { ErasesPeople } from './person-erasure.js';
import type { SiteErasure } from './site-erasure.js';
import { whileAvailable } from './while-available.js';

/**
 * Answers management, whose jobs ask every service with data of sites to erase it (contracts: `eraseSite`), and every
 * one with data of people to erase theirs (`erasePerson`).
 */
export function siteErasureConsumer(
  entry: ServiceEntry,
  erasure: Pick<SiteErasure, 'step'>,
  people: ErasesPeople | undefined,
): Type {
  @Controller()
  class SiteErasureConsumer {
    @Handles(jobStepOf(entry))
    async runJobStep(asked: JobStep): Promise<Reply<JobStepReport>> {
      if (asked.step === ERASE_PERSON) return erasePerson(asked);
      const step = eraseSiteOf(asked);
      if (!step.ok) return { error: step.error };
      const { name, siteId, cursor } = step.value;
      return { ok: await whileAvailable(() => erasure.step(name, siteId, cursor)) };
    }
  }

  async function erasePerson(asked: JobStep): Promise<Reply<JobStepReport>> {
    // An older replica: one that is updated can do it.
    if (people === undefined) return failure('UNAVAILABLE', 'This replica erases nobody.');
    const step = erasePersonOf(asked);
    if (!step.ok) return { error: step.error };
    return { ok: await whileAvailable(() => people.step(step.value)) };
  }

  return SiteErasureConsumer;
}
