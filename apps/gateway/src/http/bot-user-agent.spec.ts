import { describe, expect, it } from '@jest/globals';
import { isBotUserAgent } from './bot-user-agent.js';

describe('a bot', () => {
  it.each([
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0) Chrome/116.0.0.0 Safari/537.36',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/120.0.0.0 Safari/537.36',
    'facebookexternalhit/1.1',
    'GPTBot/1.0',
    'curl/8.5.0',
    'python-requests/2.31.0',
    'Go-http-client/1.1',
    'meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)',
  ])('a bot is %s', (userAgent) => {
    expect(isBotUserAgent(userAgent)).toBe(true);
    expect(isBotUserAgent(userAgent)).toBe(true);
  });

  it.each([
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
    'Mozilla/5.0',
    'ShopApp/3.2 (iPhone; iOS 17.0)',
    'WooCommerce/8.1 PHP/8.2',
    'MyShop',
    'ShopServer/1.0',
    'checkout-agent/2.1',
    'Mozilla/5.0 Shop',
    'Node.js/24',
    'okhttp/4.12.0',
  ])('a bot is not %s', (userAgent) => expect(isBotUserAgent(userAgent)).toBe(false));

  it('a bot is recognised beyond the number of cached user agents', () => {
    const verdicts = Array.from({ length: 5000 }, (_, index) =>
      isBotUserAgent(index % 2 ? `Shop ${index}` : `x${index} bot`),
    );
    expect(verdicts).toEqual(verdicts.map((_, index) => index % 2 === 0));
  });
});
