const own = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A time in the named zone; hover or focus gives the zone, the reader's own and UTC. */
export function Instant({ at, zone }: { readonly at: string; readonly zone: string }) {
  const title = `${format(at, zone)} ${zone}\n${format(at, own)} ${own}\n${format(at, 'UTC')} UTC`;
  return (
    <time dateTime={at} title={title} tabIndex={0}>
      {format(at, zone)}
    </time>
  );
}

/** One for each zone of the page: making one costs more than all that it formats. */
const formats = new Map<string, Intl.DateTimeFormat>();

function format(at: string, timeZone: string): string {
  let known = formats.get(timeZone);
  if (known === undefined) {
    known = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'medium', timeStyle: 'medium' });
    formats.set(timeZone, known);
  }
  return known.format(new Date(at));
}
