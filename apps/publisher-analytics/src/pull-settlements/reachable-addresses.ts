import { lookup as resolve, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** A name that leads to where no network is: inside our own house, or nowhere. */
export class UnreachableAddressError extends Error {
  override readonly name = 'UnreachableAddressError';
}

/** Special-purpose blocks of IANA's registries: private, loopback, link-local, shared, documentation, multicast, reserved. */
const PRIVATE_BLOCKS = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  '::1/128',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'ff00::/8',
];

/** Says of each address whether it may be called, at the moment of the call: names change where they lead to. */
export class ReachableAddresses {
  private readonly refused = blocksOf(PRIVATE_BLOCKS);
  private readonly allowed: BlockList;

  /** @param allowedBlocks what an operator lists: `10.1.0.0/16` */
  constructor(allowedBlocks: readonly string[]) {
    this.allowed = blocksOf(allowedBlocks);
  }

  includes(address: string): boolean {
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    return this.allowed.check(address, family) || !this.refused.check(address, family);
  }

  /** For `http.request`: resolves a name, and fails when any of its addresses may not be called. */
  readonly lookup: LookupFunction = (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error !== null) return callback(error, '', 4);
      const refused = addresses.length === 0 || addresses.some(({ address }) => !this.includes(address));
      if (refused) return callback(new UnreachableAddressError(MESSAGE), '', 4);
      const [first] = addresses;
      if (options.all === true) return callback(null, addresses);
      callback(null, first?.address ?? '', first?.family ?? 4);
    });
  };

  /** An address is connected to without a lookup. @throws UnreachableAddressError */
  checkHost(host: string): void {
    const address = host.replace(/^\[|\]$/g, '');
    if (isIP(address) !== 0 && !this.includes(address)) throw new UnreachableAddressError(MESSAGE);
  }
}

const MESSAGE = 'The address is private, loopback or link-local.';

function blocksOf(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [address = '', bits = ''] = block.split('/');
    list.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}
