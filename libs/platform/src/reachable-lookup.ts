import { isIP, type LookupFunction } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { namesOf, namesOfSystem, type ResolveName } from './resolve-name.js';

/** Which addresses may be called: `ReachableAddresses` of the contracts. */
export interface Reachable {
  includes(address: string): boolean;
  includesHostOf(url: string): boolean;
  /** Whether only a network of one's own has such a name. */
  isInnerName(host: string): boolean;
}

/** A name that resolves to an internal address, or to none. */
export class UnreachableAddressError extends Error {
  override readonly name = 'UnreachableAddressError';
}

/**
 * For `http.request`: resolves a name, and fails when any of its addresses may not be called. At the time of
 * the call, because names can be re-pointed.
 */
export function lookupWithin(
  reachable: Reachable,
  resolveName: ResolveName = resolverFor(reachable),
): LookupFunction {
  return (host, options, callback) => {
    const take = (addresses: Awaited<ReturnType<ResolveName>>): void => {
      const [first] = addresses;
      if (first === undefined || addresses.some(({ address }) => !reachable.includes(address)))
        return callback(new UnreachableAddressError(MESSAGE), '', 4);
      if (options.all === true) return callback(null, [...addresses]);
      callback(null, first.address, first.family);
    };
    resolveName(host).then(take, (error: NodeJS.ErrnoException) => callback(error, '', 4));
  };
}

const names = namesOf();
const innerNames = namesOfSystem();

function resolverFor(reachable: Reachable): ResolveName {
  return (host) => (reachable.isInnerName(host) ? innerNames(host) : names(host));
}

/** An IP address is connected to without a lookup. @throws UnreachableAddressError */
export function checkHost(reachable: Reachable, url: URL): void {
  if (!reachable.includesHostOf(url.href)) throw new UnreachableAddressError(MESSAGE);
}

const MESSAGE = 'The address is private, loopback or link-local.';

/** How long a name may take; one that takes longer is judged at the call. */
const RESOLVE_TIMEOUT_MS = 3_000;

/**
 * Whether a URL leads to an address that may not be called, by its text or by what its name resolves to now. A name that cannot be
 * resolved may be a public one that comes later.
 */
export async function leadsInside(reachable: Reachable, url: string): Promise<boolean> {
  if (!reachable.includesHostOf(url)) return true;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return false;
  const addresses = await Promise.race([
    resolverFor(reachable)(host).catch(() => []),
    delay(RESOLVE_TIMEOUT_MS, [], { ref: false }),
  ]);
  return addresses.some(({ address }) => !reachable.includes(address));
}
