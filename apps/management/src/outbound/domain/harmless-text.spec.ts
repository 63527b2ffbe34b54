import { expect, it } from '@jest/globals';
import { harmlessText, KEPT_RESPONSE_BYTES } from './harmless-text.js';

it.each([
  ['control characters, line ends and tabs among them', 'a\u0000b\tc\r\nd\u001b[0m\u007f\u0085e', 'abcd[0me'],
  ['marks of direction', 'a\u202eb\u2066c', 'abc'],
])('an answer loses its %s', (_what, text, kept) => {
  expect(harmlessText(Buffer.from(text))).toBe(kept);
});

it.each([
  ['{"access_token":"abcdef0123","user":"ann"}', '{"access_token":"[redacted]","user":"ann"}'],
  ['{"password":"hunter2"}', '{"password":"[redacted]"}'],
  [String.raw`{"password": "a \" b, c","n":1}`, '{"password": "[redacted]","n":1}'],
  ['{"client_secret":"four words, and more', '{"client_secret":"[redacted]'],
  ['api_key=abcdef0123&x=1', 'api_key=[redacted]&x=1'],
  ["Password: 'correcthorse'", "Password: '[redacted]'"],
  ['The token is missing.', 'The token is missing.'],
])('an answer loses the value of what it calls a secret: %s', (text, kept) => {
  expect(harmlessText(Buffer.from(text))).toBe(kept);
});

it('invalid UTF-8 in an answer becomes U+FFFD, and a character that the limit cuts is left out', () => {
  expect(harmlessText(Buffer.from([0x61, 0xff, 0x62]))).toBe('a\ufffdb');
  const cut = Buffer.from(`${'x'.repeat(KEPT_RESPONSE_BYTES - 1)}é`).subarray(0, KEPT_RESPONSE_BYTES);
  expect(harmlessText(cut)).toBe('x'.repeat(KEPT_RESPONSE_BYTES - 1));
});

it('an answer without content is none', () => {
  expect(harmlessText(new Uint8Array())).toBeNull();
});
