import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';

/** Resolves a name to all of its addresses; rejects with `ENOTFOUND`, or `EAI_AGAIN` where another time may tell. */
export type ResolveName = (host: string) => Promise<readonly LookupAddress[]>;

/**
 * Asks the servers of names. The system's way has two threads for all names of a process, which wait for each name to its end:
 * some whose servers never answer would hold up the names of everybody else. Files of hosts and search lists are not read.
 * @param servers default: as the system is configured
 */
export function namesOf(servers?: readonly string[]): ResolveName {
  const resolver = new Resolver({ timeout: FIRST_TIMEOUT_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  return async (host) => {
    const asked = await Promise.allSettled([
      resolver.resolve4(host).then((found) => found.map((address) => ({ address, family: 4 }))),
      resolver.resolve6(host).then((found) => found.map((address) => ({ address, family: 6 }))),
    ]);
    const addresses = asked.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    if (addresses.length > 0) return addresses;
    const isUnknown = asked.every((one) => one.status === 'rejected' && ABSENT.has(codeOf(one.reason)));
    const code = isUnknown ? 'ENOTFOUND' : 'EAI_AGAIN';
    throw Object.assign(new Error('The name was not resolved.'), { code });
  };
}

/** As the system does: for names that only a network of one's own has, by its file of hosts or its search list. */
export const namesOfSystem: ResolveName = (host) => lookup(host, { all: true });

/** Of the first try. Four of them end within the time of a call: names without an answer took five seconds. */
const FIRST_TIMEOUT_MS = 1_000;
const TRIES = 4;

/** Without addresses of one kind, without the name, and no name at all. */
const ABSENT: ReadonlySet<unknown> = new Set(['ENODATA', 'ENOTFOUND', 'EBADNAME']);

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
