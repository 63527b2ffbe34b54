const MS_PER_DAY = 86_400_000;
/** Of a year in which zones are known on both sides; while one is typed it has one digit, or five. */
const MINUTE = /^(?!0000|9999)\d{4}-\d\d-\d\dT\d\d:\d\d/;
const YEAR_DIGITS = 4;

/** What a clock of the zone shows, `YYYY-MM-DDTHH:MM`. */
export function localOf(at: string, zone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(new Date(at));
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? '';
  const year = part('year').padStart(YEAR_DIGITS, '0');
  return `${year}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`;
}

/**
 * The instant at which a clock of the zone shows this, ISO 8601 in UTC. Of a time that comes twice it is the first; a
 * time that the clocks skip is as far behind the change as it names. What names no time goes as it is typed: the service says at
 * the field what it expects.
 */
export function instantOfLocal(local: string, zone: string): string {
  const [minute] = MINUTE.exec(local) ?? [];
  if (minute === undefined) return local;
  const asUtc = Date.parse(`${minute}Z`);
  const candidates = [asUtc - MS_PER_DAY, asUtc + MS_PER_DAY]
    .map((near) => new Date(asUtc - offsetMs(near, zone)).toISOString())
    .toSorted();
  const [first = ''] = candidates;
  return candidates.find((at) => localOf(at, zone) === minute) ?? candidates.at(-1) ?? first;
}

function offsetMs(at: number, zone: string): number {
  return Date.parse(`${localOf(new Date(at).toISOString(), zone)}Z`) - at;
}
