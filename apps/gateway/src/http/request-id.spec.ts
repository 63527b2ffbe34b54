import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { requestIdFrom } from './exchange.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('X-Request-Id (interface page, section 1)', () => {
  it("adopts a caller's own of 8 to 64 letters, digits, underscores and dashes", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9_-]{8,64}$/), (id) => expect(requestIdFrom(id)).toBe(id)),
    );
  });

  it.each([undefined, '', 'short12', 'a'.repeat(65), 'with space', 'semi;colon', 'ümlaut12', 'line\nbreak1'])(
    'replaces %p',
    (id) => {
      expect(requestIdFrom(id)).toMatch(UUID);
    },
  );

  it('replaces a header that was sent twice', () => {
    expect(requestIdFrom(['abcdefgh', 'abcdefgh'])).toMatch(UUID);
  });
});
