import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

/** Resolves a name to all of its addresses; rejects with `ENOTFOUND`, or `EAI_AGAIN` where another time may tell. */
export type ResolveName = (host: string) => Promise<readonly LookupAddress[]>;

/** Of addresses. */
type Family = 4 | 6;

/**
 * Asks the servers of names. The system's way has two threads for all names of a process, which wait for each name to its end:
 * some whose servers never answer would hold up the names of everybody else. Files of hosts and search lists are not read.
 * @param servers default: as the system is configured
 */
export function namesOf(servers?: readonly string[], families = ownFamilies): ResolveName {
  const [resolver, ...others] = resolversOf(servers);
  return async (host) => {
    const addresses: LookupAddress[] = [];
    const asked = families().map(async (family) => {
      const ask = (one: Resolver) => (family === 4 ? one.resolve4(host) : one.resolve6(host));
      const found = await answerOf(ask, resolver, others);
      addresses.push(...found.map((address) => ({ address, family })));
    });
    const all = Promise.allSettled(asked);
    const some = Promise.any(asked).then(
      () => delay(OTHER_FAMILY_MS, undefined, { ref: false }),
      () => undefined,
    );
    await Promise.race([all, some]);
    if (addresses.length > 0) return addresses.toSorted((one, other) => one.family - other.family);
    const isUnknown = (await all).every((one) => one.status === 'rejected' && ABSENT.has(codeOf(one.reason)));
    const code = isUnknown ? 'ENOTFOUND' : 'EAI_AGAIN';
    throw Object.assign(new Error('The name was not resolved.'), { code });
  };
}

/** Each but the first one leaves out one more of the first servers. */
function resolversOf(servers: readonly string[] | undefined): readonly [Resolver, ...Resolver[]] {
  const of = (some: readonly string[] | undefined): Resolver => {
    const resolver = new Resolver({ timeout: FIRST_TIMEOUT_MS, tries: TRIES });
    if (some !== undefined) resolver.setServers(some);
    return resolver;
  };
  const first = of(servers);
  const all = first.getServers();
  return [first, ...all.slice(1).map((_, place) => of(all.slice(place + 1)))];
}

/** A resolver asks the next server where one is silent, and believes one that fails or refuses. */
async function answerOf<Answer>(
  ask: (resolver: Resolver) => Promise<Answer>,
  resolver: Resolver,
  others: readonly Resolver[],
): Promise<Answer> {
  try {
    return await ask(resolver);
  } catch (error) {
    const [next, ...rest] = others;
    if (next === undefined || !FAILING.has(codeOf(error))) throw error;
    return answerOf(ask, next, rest);
  }
}

/** As the system does: for names that only a network of one's own has, by its file of hosts or its search list. */
export function namesOfSystem(families = ownFamilies): ResolveName {
  return (host) => {
    const [family, other] = families();
    return lookup(host, { all: true, family: other === undefined ? family : 0 });
  };
}

/**
 * Those that this machine can call, as `getaddrinfo` has it for a connection; both where it has no address but its own. A connection has a
 * quarter of a second at each address but the last one, which must not be one that no way leads to.
 */
export function ownFamilies(interfaces = networkInterfaces()): readonly Family[] {
  const own = Object.values(interfaces).flatMap((addresses = []) =>
    addresses.filter(({ internal, address }) => !internal && !address.startsWith('fe80:')),
  );
  const families = ([4, 6] as const).filter((one) => own.some(({ family }) => family === `IPv${one}`));
  return families.length === 0 ? [4, 6] : families;
}

/** Of the first try; each further one has twice as long. With one server all of them end within the time of a call. */
const FIRST_TIMEOUT_MS = 1_000;
const TRIES = 3;
/** For addresses of the other kind once there are some: there are servers that never say that there are none. */
const OTHER_FAMILY_MS = 500;

/** Another server may know the name. */
const FAILING: ReadonlySet<unknown> = new Set(['ESERVFAIL', 'EREFUSED', 'ENOTIMP']);
/** Without addresses of one kind, without the name, and no name at all. */
const ABSENT: ReadonlySet<unknown> = new Set(['ENODATA', 'ENOTFOUND', 'EBADNAME']);

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
