import { isIPv6, type Socket } from 'node:net';

const IPV4_IN_IPV6 = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;
const GROUP_LENGTH = 4;
const NETWORK_GROUPS = 4;

/** An IPv4 address in its usual form also where the server listens on IPv6. */
export function plainAddress(address: string): string {
  return address.replace(IPV4_IN_IPV6, '');
}

/** An IPv4 address as it is, and of an IPv6 address the /64 network, which one client has. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [left = '', right] = address.split('%')[0]?.split('::') ?? [];
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  const missing = Math.max(0, 2 * NETWORK_GROUPS - head.length - tail.length);
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...tail];
  return groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => group.padStart(GROUP_LENGTH, '0'))
    .join(':');
}

/** Whose share of a server's connections one is: its other end, whoever speaks through it, as an ingress does for many. */
export function holderOf({ remoteAddress = '' }: Socket): string {
  return networkOf(plainAddress(remoteAddress));
}
