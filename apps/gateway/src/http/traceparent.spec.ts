import { describe, expect, it } from '@jest/globals';
import { traceparentFrom } from './exchange.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const SHAPE = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

describe('traceparent (W3C Trace Context)', () => {
  it("continues a caller's trace with a new span", () => {
    const next = traceparentFrom(`00-${TRACE}-${SPAN}-01`);
    expect(next).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    expect(next).not.toContain(SPAN);
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
  ])('begins a new, unsampled trace for %p', (header) => {
    const next = traceparentFrom(header);
    expect(next).toMatch(SHAPE);
    expect(next).not.toContain(TRACE);
    expect(next.endsWith('-00')).toBe(true);
  });

  it('never gives the same span twice', () => {
    const spans = Array.from({ length: 2_000 }, () => traceparentFrom(undefined));
    expect(new Set(spans).size).toBe(2_000);
  });
});
