import { readFileSync } from 'node:fs';

/**
 * Loaded with `--import` before a service, it lets the service's clock be wrong: `Date` is ahead by as many milliseconds
 * as the file says that TRUETALLY_CLOCK_FILE names. Only what the service's own code asks is shifted; timers, Kafka and
 * Postgres go by the true time.
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
