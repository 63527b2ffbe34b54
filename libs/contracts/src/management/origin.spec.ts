import { describe, expect, it } from '@jest/globals';
import { anyCharacter, anyUrl } from '@truetally/kernel/testing';
import fc from 'fast-check';
import { normaliseDomain, normaliseOrigin } from './origin.js';

describe('normaliseOrigin', () => {
  it.each([
    ['https://shop.example', 'https://shop.example'],
    ['HTTPS://Shop.Example', 'https://shop.example'],
    ['https://shop.example:443', 'https://shop.example'],
    ['http://shop.example:80', 'http://shop.example'],
    ['http://shop.example:443', 'http://shop.example:443'],
    ['http://localhost:8080', 'http://localhost:8080'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
    ['https://münchen.example', 'https://xn--mnchen-3ya.example'],
  ])('reads %s as a browser sends it: %s', (text, origin) => {
    expect(normaliseOrigin(text)).toBe(origin);
  });

  it.each([
    '',
    'null',
    '*',
    'shop.example',
    '//shop.example',
    'https://',
    'https://*.shop.example',
    'https://shop.example/',
    'https://shop.example/path',
    'https://shop.example?x=1',
    'https://shop.example#top',
    'https://user:word@shop.example',
    'https://shop.example\\path',
    'https://shop.example:99999',
    'ftp://shop.example',
    'file:///etc/passwd',
    'chrome-extension://abcdef',
    'javascript:alert(1)',
    ' https://shop.example',
    'https://shop.example\n',
    'https://sh op.example',
    'https://sh\top.example',
    'https://shop.example, https://other.example',
    'https://shop%2eexample',
    `https://${'a'.repeat(300)}.example`,
  ])('refuses texts that no Origin header can equal: %p', (text) => {
    expect(normaliseOrigin(text)).toBeUndefined();
  });

  it('throws for no input, and accepts exactly the origins of the URL standard', () => {
    const anything = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 300 }),
      anyUrl,
      fc.webAuthority().map((authority) => `https://${authority}`),
      fc
        .tuple(fc.constantFrom('http://', 'HTTPS://', 'https:'), fc.string({ maxLength: 20 }))
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(anything, (text) => {
        const origin = normaliseOrigin(text);
        if (origin === undefined) return;
        expect(new URL(text).origin).toBe(origin);
        expect(normaliseOrigin(origin)).toBe(origin);
        expect(origin).toMatch(/^https?:\/\/[^/?#@\s]+$/);
      }),
      { numRuns: 1_000 },
    );
  });

  it('accepts every host that a browser can be at, and neither case nor a default port makes a difference', () => {
    const host = fc.domain().filter((name) => !name.includes('_'));
    fc.assert(
      fc.property(host, (name) => {
        const expected = `https://${name.toLowerCase()}`;
        expect(normaliseOrigin(`https://${name}`)).toBe(expected);
        expect(normaliseOrigin(`HTTPS://${name.toUpperCase()}:443`)).toBe(expected);
      }),
    );
  });
});

describe('normaliseDomain', () => {
  it.each([
    ['shop.example', 'shop.example'],
    ['Shop.EXAMPLE', 'shop.example'],
    ['münchen.example', 'xn--mnchen-3ya.example'],
    ['localhost', 'localhost'],
    ['127.0.0.1', '127.0.0.1'],
  ])('reads %s as %s', (text, domain) => {
    expect(normaliseDomain(text)).toBe(domain);
  });

  it.each([
    '',
    ' ',
    'https://shop.example',
    'shop.example/',
    'shop.example:443',
    'a b',
    '*.shop.example',
    'a@b',
    '..',
  ])('refuses %p', (text) => {
    expect(normaliseDomain(text)).toBeUndefined();
  });

  it('throws for no input, and reads its own result as itself', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: anyCharacter }), fc.domain()), (text) => {
        const domain = normaliseDomain(text);
        if (domain !== undefined) expect(normaliseDomain(domain)).toBe(domain);
      }),
    );
  });
});
