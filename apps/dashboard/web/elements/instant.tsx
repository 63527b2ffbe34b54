/** A time in the named zone; its title gives the zone, the reader's own and UTC. */
export function Instant({ at, zone }: { readonly at: string; readonly zone: string }) {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const title = `${format(at, zone)} ${zone}\n${format(at, own)} ${own}\n${format(at, 'UTC')} UTC`;
  return (
    <time dateTime={at} title={title}>
      {format(at, zone)}
    </time>
  );
}

function format(at: string, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone,
    dateStyle: 'medium',
    timeStyle: 'medium',
  }).format(new Date(at));
}
