import { BlockList, isIP } from 'node:net';

/** Special-purpose blocks of IANA's registries: private, loopback, link-local, shared, documentation, multicast, reserved. */
const PRIVATE_BLOCKS = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Of Azure's platform, to its own machines alone: their settings are behind it.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Unspecified, loopback, and the obsolete IPv4 addresses behind 96 zero bits.
  '::/96',
  // IPv4 addresses as stateless translators write them.
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];

/**
 * Names that no public server has: reserved ones, and those of clusters and home networks. A name without a
 * dot is one.
 */
const INNER_DOMAINS = [
  'localhost',
  'local',
  'localdomain',
  'internal',
  'intranet',
  'lan',
  'svc',
  'home.arpa',
];

/**
 * Which merchant-supplied hosts the product may call: no internal ones, except those that an operator allows.
 */
export class ReachableAddresses {
  private readonly refused = blocksOf(PRIVATE_BLOCKS);
  private readonly allowed: BlockList;
  private readonly hasAllowed: boolean;

  /** @param allowedBlocks `10.1.0.0/16` */
  constructor(allowedBlocks: readonly string[]) {
    this.allowed = blocksOf(allowedBlocks);
    this.hasAllowed = allowedBlocks.length > 0;
  }

  /** Whether an IPv4 or IPv6 address may be called. An IPv4 address in IPv6 notation counts as IPv4. */
  includes(address: string): boolean {
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    return this.allowed.check(address, family) || !this.refused.check(address, family);
  }

  /**
   * Whether a URL's host may be called, as far as its text tells: an address in any notation, or a name. What
   * a name resolves to is checked at the call.
   * @param url absolute
   */
  includesHostOf(url: string): boolean {
    const parsed = URL.parse(url);
    if (parsed === null) return false;
    // The URL parser has already normalised decimal, octal and hexadecimal notations, as a call would.
    const host = parsed.hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
    if (isIP(host) !== 0) return this.includes(host);
    return this.hasAllowed || !this.isInnerName(host);
  }

  /** Whether no public server has such a name. */
  isInnerName(host: string): boolean {
    const name = host.toLowerCase().replace(/\.+$/, '');
    return !name.includes('.') || INNER_DOMAINS.some((domain) => name.endsWith(`.${domain}`));
  }
}

function blocksOf(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [address = '', bits = ''] = block.split('/');
    list.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}
