import { type IntakeCounts, MAX_INTAKE_HOURS, type ReadIntake } from '@truetally/contracts/events';
import { failure, parseInstant, type Reply } from '@truetally/kernel';
import { whileAvailable } from '@truetally/service';
import { presentIntake } from '../domain/present-intake.js';
import type { IntakeReads } from '../storage/intake-reads.js';

const HOUR_MS = 3_600_000;

/** What came in of a site, hour by hour (interface page, section 4: conservation). */
export const readIntake =
  (reads: IntakeReads) =>
  async ({ site_id: siteId, from, to }: ReadIntake): Promise<Reply<IntakeCounts>> => {
    const [fromMs, toMs] = [hourOf(from), hourOf(to)];
    if (fromMs === undefined || toMs === undefined || toMs - fromMs > MAX_INTAKE_HOURS * HOUR_MS) {
      const details = { to: [`must be a whole hour, at most ${MAX_INTAKE_HOURS} hours after from`] };
      return failure('VALIDATION_ERROR', 'Some fields break a rule.', details);
    }
    const counted = await whileAvailable(() => reads.read(siteId, from, to));
    return { ok: presentIntake(counted, fromMs, toMs) };
  };

function hourOf(text: string): number | undefined {
  const epochMs = parseInstant(text)?.epochMs;
  return epochMs !== undefined && epochMs % HOUR_MS === 0 ? epochMs : undefined;
}
