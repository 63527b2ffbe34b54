import { lookup as resolve, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { ReachableAddresses } from '@truetally/contracts/validation';

/** A name that resolves to an internal address, or to none. */
export class UnreachableAddressError extends Error {
  override readonly name = 'UnreachableAddressError';
}

/**
 * For `http.request`: resolves a name, and fails when any of its addresses may not be called. At the time of
 * the call, because names can be re-pointed.
 */
export function lookupWithin(reachable: ReachableAddresses): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
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
export function checkHost(reachable: ReachableAddresses, url: URL): void {
  if (!reachable.includesHostOf(url.href)) throw new UnreachableAddressError(MESSAGE);
}

const MESSAGE = 'The address is private, loopback or link-local.';
