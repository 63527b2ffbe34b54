import { describe, expect, it } from '@jest/globals';
import { traceparentFrom } from './exchange.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('traceparent (W3C Trace Context)', () => {
  it("a caller's trace is passed on as it came", () => {
    expect(traceparentFrom(`00-${TRACE}-${SPAN}-01`)).toBe(`00-${TRACE}-${SPAN}-01`);
  });

  it.each([
    undefined,
    '',
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `01-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01-extra`,
  ])('a request has no trace with %p', (header) => {
    expect(traceparentFrom(header)).toBeUndefined();
  });
});
