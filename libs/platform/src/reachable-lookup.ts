import { lookup as resolve, type LookupAddress, type LookupAllOptions } from 'node:dns';
import { lookup as resolveAll } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Which addresses may be called: `ReachableAddresses` of the contracts. */
export interface Reachable {
  includes(address: string): boolean;
  includesHostOf(url: string): boolean;
}

/** A name that resolves to an internal address, or to none. */
export class UnreachableAddressError extends Error {
  override readonly name = 'UnreachableAddressError';
}

/** How a name is resolved to all of its addresses; default: as the system does. */
export type ResolveName = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * For `http.request`: resolves a name, and fails when any of its addresses may not be called. At the time of
 * the call, because names can be re-pointed.
 */
export function lookupWithin(reachable: Reachable, resolveName: ResolveName = resolve): LookupFunction {
  return (host, options, callback) => {
    resolveName(host, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error !== null) return callback(error, '', 4);
      const refused = addresses.length === 0 || addresses.some(({ address }) => !reachable.includes(address));
      if (refused) return callback(new UnreachableAddressError(MESSAGE), '', 4);
      const [first] = addresses;
      if (options.all === true) return callback(null, addresses);
      callback(null, first?.address ?? '', first?.family ?? 4);
    });
  };
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
  const addresses = await Promise.race([
    resolveAll(host, { all: true }).catch(() => []),
    delay(RESOLVE_TIMEOUT_MS, [], { ref: false }),
  ]);
  return addresses.some(({ address }) => !reachable.includes(address));
}
