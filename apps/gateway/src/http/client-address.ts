import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';

const IPV4_IN_IPV6 = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;
const GROUP_LENGTH = 4;
const NETWORK_GROUPS = 4;

/**
 * The client address of a connection, by which shared resources are bounded. Behind a trusted proxy, it is
 * the address that the proxy names.
 */
export class ClientAddresses {
  private readonly proxies = new BlockList();
  private readonly isBehindProxy: boolean;

  /** @param trustedProxies addresses, or networks as `10.0.0.0/8` */
  constructor(trustedProxies: readonly string[]) {
    this.isBehindProxy = trustedProxies.length > 0;
    for (const proxy of trustedProxies) {
      const [address = '', prefix] = proxy.split('/');
      const family = isIPv6(address) ? 'ipv6' : 'ipv4';
      if (prefix === undefined) this.proxies.addAddress(address, family);
      else this.proxies.addSubnet(address, Number(prefix), family);
    }
  }

  /** An IPv4 address, or the /64 network that one IPv6 client has. */
  of({ socket, headers }: IncomingMessage): string {
    const peer = plain(socket.remoteAddress ?? '');
    if (!this.isBehindProxy || !this.isTrusted(peer)) return network(peer);
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
    // From the right: anything left of an address that is not a trusted proxy may be forged.
    const client = forwarded
      .reverse()
      .map((part) => plain(part.trim()))
      .find((part) => !this.isTrusted(part));
    return client !== undefined && isIP(client) !== 0 ? network(client) : network(peer);
  }

  private isTrusted(address: string): boolean {
    return isIP(address) !== 0 && this.proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }
}

function plain(address: string): string {
  return address.replace(IPV4_IN_IPV6, '');
}

function network(address: string): string {
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
