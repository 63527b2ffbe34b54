import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { networkOf, plainAddress } from '@truetally/platform';

/**
 * Bounds the memory of all arriving bodies, and each holder's share. A limit per body alone would let ten
 * thousand slow connections fill the memory, and one client take everyone's room.
 *
 * Once half is taken, shares shrink with what is free: whoever comes next finds room, however many have theirs.
 */
export class BodyBudget {
  private heldBytes = 0;
  private readonly shares = new Map<string, number>();

  /** @param shareBytes what one holder may have while half is free */
  constructor(
    private readonly maxBytes: number,
    private readonly shareBytes: number,
  ) {}

  /**
   * Counts the bytes in any case (they are released in one sum); false when they exceed the budget.
   * @param holders who answers for them: each must have room for them
   */
  take(holders: readonly string[], bytes: number): boolean {
    this.heldBytes += bytes;
    let largest = 0;
    for (const holder of holders) {
      const share = (this.shares.get(holder) ?? 0) + bytes;
      this.shares.set(holder, share);
      largest = Math.max(largest, share);
    }
    const free = this.maxBytes - this.heldBytes;
    if (free < 0 || largest > this.shareBytes) return false;
    // Whoever has nothing yet gets what is left.
    return largest === bytes || largest * this.maxBytes <= 2 * this.shareBytes * free;
  }

  release(holders: readonly string[], bytes: number): void {
    this.heldBytes -= bytes;
    for (const holder of holders) {
      const share = (this.shares.get(holder) ?? 0) - bytes;
      if (share > 0) this.shares.set(holder, share);
      else this.shares.delete(holder);
    }
  }

  get bytes(): number {
    return this.heldBytes;
  }
}

/** Node's objects of a request, and of each of its headers' two texts. */
const REQUEST_BYTES = 4 * 1024;
const TEXT_BYTES = 50;

/** What a request holds in memory before its body. */
export function headBytes({ rawHeaders, url = '' }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length + TEXT_BYTES, REQUEST_BYTES + url.length);
}

/** Gives back what a request holds that is answered, and whose client has not sent all of it. */
export function forgetHead(request: IncomingMessage): void {
  request.rawHeaders = [];
  request.headers = {};
  request.url = '';
}

/** A bounded number of slots: a client address may hold only a share of them. */
export class AddressSlots {
  private taken = 0;
  private readonly shares = new Map<string, number>();

  constructor(
    private readonly inAll: number,
    private readonly perAddress: number,
  ) {}

  /** False when there is none for this address. A taken slot must be given back. */
  take(address: string): boolean {
    const share = this.shares.get(address) ?? 0;
    if (this.taken >= this.inAll || share >= this.perAddress) return false;
    this.taken += 1;
    this.shares.set(address, share + 1);
    return true;
  }

  giveBack(address: string): void {
    this.taken -= 1;
    const share = (this.shares.get(address) ?? 0) - 1;
    if (share > 0) this.shares.set(address, share);
    else this.shares.delete(address);
  }
}

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
  of({ socket, headers }: Pick<IncomingMessage, 'headers' | 'socket'>): string {
    const peer = plainAddress(socket.remoteAddress ?? '');
    if (!this.isBehindProxy || !this.isTrusted(peer)) return networkOf(peer);
    const client = this.clientIn(String(headers['x-forwarded-for'] ?? '')) ?? peer;
    return networkOf(isIP(client) !== 0 ? client : peer);
  }

  /** From the right: anything left of an address that is not a trusted proxy may be forged, and as long as a header may be. */
  private clientIn(forwarded: string): string | undefined {
    const comma = forwarded.lastIndexOf(',');
    const address = plainAddress(withoutPort(forwarded.slice(comma + 1).trim()));
    if (!this.isTrusted(address)) return address;
    return comma < 0 ? undefined : this.clientIn(forwarded.slice(0, comma));
  }

  private isTrusted(address: string): boolean {
    return isIP(address) !== 0 && this.proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }
}

/** Some proxies add the port of the client: `203.0.113.9:51234`, `[2001:db8::7]:51234`. */
function withoutPort(part: string): string {
  if (!part.includes(':')) return part;
  const [, ipv6, ipv4] = WITH_PORT.exec(part) ?? [];
  return ipv6 ?? ipv4 ?? part;
}

const WITH_PORT = /^(?:\[([^\]]+)\](?::\d{1,5})?|([^:]+):\d{1,5})$/;
