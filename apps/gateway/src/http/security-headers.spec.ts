import { describe, expect, it } from '@jest/globals';
import { securityHeaders } from './security-headers.js';

describe('security headers', () => {
  it('security headers are those of an API, as names and values in turn', () => {
    const headers = securityHeaders();
    const names = headers.filter((_, index) => index % 2 === 0);
    expect(names.sort()).toEqual([
      'Content-Security-Policy',
      'Strict-Transport-Security',
      'X-Content-Type-Options',
      'X-Frame-Options',
    ]);
    expect(headers[headers.indexOf('X-Content-Type-Options') + 1]).toBe('nosniff');
  });
});
