import { readFileSync } from 'node:fs';

/**
 * Loaded with `--import` before a service, it makes the service's clock wrong: `Date` is ahead by the
 * milliseconds in the file that TRUETALLY_CLOCK_FILE names. Only calls of the service's own code are shifted;
 * timers, Kafka and Postgres use the true time.
 */
const CHECK_MS = 50;

const file = process.env['TRUETALLY_CLOCK_FILE'] ?? '';
const TrueDate = Date;
let aheadMs = 0;

class ShiftedDate extends TrueDate {
  constructor(...parameters: [] | ConstructorParameters<typeof TrueDate>) {
    if (parameters.length === 0) super(TrueDate.now() + aheadMs);
    else super(...parameters);
  }

  static override now(): number {
    return TrueDate.now() + aheadMs;
  }
}

setInterval(() => {
  try {
    aheadMs = Number(readFileSync(file, 'utf8'));
  } catch {
    aheadMs = 0;
  }
}, CHECK_MS).unref();

globalThis.Date = ShiftedDate as typeof Date;
