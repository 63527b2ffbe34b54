import { describe, expect, it } from '@jest/globals';
import { anyPath, anyUrlPart, anyUrl } from '@truetally/kernel/testing';
import fc from 'fast-check';
import { isAbsoluteHttpUrl, isLinkUrl } from './http-url.js';

describe('an absolute http(s) URL', () => {
  it.each([
    'https://shop.example.com/products/red-shoe?ref=home#top',
    'http://localhost:3000',
    'HTTPS://SHOP.EXAMPLE/',
    'https://shop.example:65535/',
    'https://127.0.0.1/',
    'https://[::1]:8080/x',
    'https://user:pass@shop.example/',
    'https://bücher.example/weiß?q=ö',
    'https://xn--bcher-kva.example/',
    'https://shop.example/%zz',
    'https://shop.example/a\0b\ud800',
  ])('an absolute http(s) URL is %j', (text) => expect(isAbsoluteHttpUrl(text)).toBe(true));

  it.each([
    '',
    '/products',
    'shop.example.com',
    '//shop.example.com/',
    'ftp://shop.example.com/',
    'javascript:alert(1)',
    'data:text/html,x',
    'https:shop.example',
    'https:/shop.example',
    'https://',
    'https:///shop.example',
    'https://?x',
    'https://shop.example:99999/',
    'https://1.2.3.256/',
    'https://shop.1/',
    'https://xn--iñvalid.com/',
    'https://shop example/',
    'https://shop.example/a b',
    'https://shop.example/a\tb',
    'https://shop.example/\u00a0',
    'https://shop.example/\u0001',
    ' https://shop.example/',
    'https://shop.example/\n',
    'https://exa<mple/',
  ])('an absolute http(s) URL is not %j', (text) => expect(isAbsoluteHttpUrl(text)).toBe(false));

  it('an absolute http(s) URL is accepted by the WHATWG URL parser, too', () => {
    const host = fc.oneof(fc.domain(), fc.ipV4(), fc.stringMatching(/^[a-zA-Z0-9.%:@[\]xn-]{1,12}$/));
    const oddUrl = fc
      .tuple(fc.constantFrom('http://', 'https://', 'HTTP://'), host, anyPath, anyUrlPart)
      .map(([scheme, name, path, query]) => `${scheme}${name}${path}?${query}`);
    fc.assert(
      fc.property(fc.oneof(oddUrl, anyUrl), (text) => {
        expect(isAbsoluteHttpUrl(text)).toBe(URL.canParse(text) && /^https?:\/\/[^/\\?#]/i.test(text));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a link that a page shows', () => {
  it.each(['https://shop.example/', 'https://shop.example/a?b=c#d', 'http://münchen.example/ü'])(
    'a link that a page shows may be %s',
    (url) => {
      expect(isLinkUrl(url)).toBe(true);
    },
  );

  it.each([
    ['a user', 'https://bank.example@shop.example/'],
    ['a user and a password', 'https://bank.example:1@shop.example/'],
    ['a quote', 'https://shop.example/"onclick=x'],
    ['a single quote', "https://shop.example/'onclick=x"],
    ['a bracket', 'https://shop.example/<b>'],
    ['a mark that turns the text around', 'https://shop.example/\u202egpj.exe'],
    ['another of them', 'https://shop.example/\u2067x'],
  ])('a link that a page shows has no %s', (_what, url) => {
    expect(isAbsoluteHttpUrl(url)).toBe(true);
    expect(isLinkUrl(url)).toBe(false);
  });
});
