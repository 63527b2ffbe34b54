import { describe, expect, it } from '@jest/globals';
import { isSampled, readTraceparent, writeTraceparent } from './trace-context.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('traceparent (W3C Trace Context)', () => {
  it.each(['00', '01', 'ff'])('a traceparent is written as it was read, with flags %s', (flags) => {
    const header = `00-${TRACE}-${SPAN}-${flags}`;
    const read = readTraceparent(header);
    expect(read).toMatchObject({ traceId: TRACE, spanId: SPAN });
    expect(read && writeTraceparent(read)).toBe(header);
  });

  it.each([
    undefined,
    '',
    'nonsense',
    `01-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
  ])('a traceparent is nothing when it is %p', (header) => {
    expect(readTraceparent(header)).toBeUndefined();
  });

  it('a traceparent has the sampling decision in its last bit', () => {
    const kept = ['00', '01', '02', '03', 'fe', 'ff'].filter((flags) =>
      isSampled(`00-${TRACE}-${SPAN}-${flags}`),
    );
    expect(kept).toEqual(['01', '03', 'ff']);
    expect(isSampled(undefined)).toBe(false);
    expect(isSampled('1')).toBe(false);
  });
});
