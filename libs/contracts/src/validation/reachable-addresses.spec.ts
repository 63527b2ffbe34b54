import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ReachableAddresses } from './reachable-addresses.js';

const reachable = new ReachableAddresses([]);

type Octets = readonly [number, number, number, number];
const octet = fc.integer({ min: 0, max: 255 });
const inner: fc.Arbitrary<Octets> = fc.oneof(
  fc.tuple(fc.constant(10), octet, octet, octet),
  fc.tuple(fc.constant(127), octet, octet, octet),
  fc.tuple(fc.constant(0), octet, octet, octet),
  fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
  fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
);
const outer: fc.Arbitrary<Octets> = fc.tuple(fc.integer({ min: 11, max: 99 }), octet, octet, octet);

const wholeOf = ([a, b, c, d]: Octets): number => ((a * 256 + b) * 256 + c) * 256 + d;
const dotted = (base: (part: number) => string) => (octets: Octets) => octets.map(base).join('.');
const mapped = ([a, b, c, d]: Octets): string =>
  `[::ffff:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}]`;

/** All the ways in which one address can be written in a URL. */
const NOTATIONS: Readonly<Record<string, (octets: Octets) => string>> = {
  usual: dotted(String),
  octal: dotted((part) => `0${part.toString(8)}`),
  hexadecimal: dotted((part) => `0x${part.toString(16)}`),
  'with a trailing dot': (octets) => `${octets.join('.')}.`,
  'one number': (octets) => String(wholeOf(octets)),
  'one octal number': (octets) => `0${wholeOf(octets).toString(8)}`,
  'one hexadecimal number': (octets) => `0X${wholeOf(octets).toString(16)}`,
  'two parts': (octets) => `${octets[0]}.${wholeOf([0, octets[1], octets[2], octets[3]])}`,
  'three parts': ([a, b, c, d]) => `${a}.${b}.${c * 256 + d}`,
  'full-width digits': (octets) =>
    octets.join('.').replaceAll(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)),
  'percent encoded': (octets) => octets.join('.').replaceAll('1', '%31'),
  'mapped into IPv6': mapped,
  'mapped, with dots': (octets) => `[::ffff:${octets.join('.')}]`,
};

const ports = fc.constantFrom('', ':80', ':8443');
const schemes = fc.constantFrom('http', 'https', 'HTTPS');
const paths = fc.constantFrom('', '/', '/v1/transactions');

describe.each(Object.entries(NOTATIONS))('an address in %s notation', (_name, write) => {
  it('an address is refused inside our own network, whatever is around it, and taken outside', () => {
    fc.assert(
      fc.property(inner, outer, schemes, ports, paths, (own, foreign, scheme, port, path) => {
        expect(reachable.includesHostOf(`${scheme}://${write(own)}${port}${path}`)).toBe(false);
        // 100.64 to 100.99 begin shared address space: none of these begins so.
        expect(reachable.includesHostOf(`${scheme}://${write(foreign)}${port}${path}`)).toBe(true);
      }),
    );
  });
});

describe('a host that a merchant names', () => {
  it.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'kafka',
    'metadata.google.internal',
    'gateway.truetally.svc',
    'gateway.truetally.svc.cluster.local',
    'router.home.arpa',
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[fd12:3456::1]',
    '[fe80::1]',
    '[::127.0.0.1]',
    '[64:ff9b::10.0.0.1]',
    '[2002:7f00:1::]',
    '[::ffff:0:127.0.0.1]',
    '[3fff::1]',
    '[5f00::1]',
    '168.63.129.16',
    '192.31.196.1',
    '192.52.193.1',
    '192.175.48.1',
  ])('%s is refused', (host) => {
    expect(reachable.includesHostOf(`https://${host}/v1`)).toBe(false);
  });

  it.each(['api.awin.com', 'api.awin.com.', 'local.example', '[2606:4700::1111]', 'xn--bcher-kva.example'])(
    '%s is taken: where it leads to is judged at the call',
    (host) => {
      expect(reachable.includesHostOf(`https://${host}/v1`)).toBe(true);
    },
  );

  it('a merchant’s host may be in a block that an operator lists, and a name then, on one machine', () => {
    const local = new ReachableAddresses(['127.0.0.0/8', '::1/128']);
    for (const host of ['127.0.0.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]', 'localhost'])
      expect(local.includesHostOf(`http://${host}:8080`)).toBe(true);
    for (const host of ['10.0.0.1', '[fd00::1]', '169.254.169.254'])
      expect(local.includesHostOf(`http://${host}`)).toBe(false);
  });

  it('a merchant’s host is refused when it is none', () => {
    expect(reachable.includesHostOf('https://')).toBe(false);
    expect(reachable.includesHostOf('https://256.256.256.256')).toBe(false);
  });
});
