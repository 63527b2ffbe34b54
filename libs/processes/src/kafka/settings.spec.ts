import { describe, expect, it } from '@jest/globals';
import { properties } from './settings.js';

describe('properties', () => {
  it('escape characters that Java would read differently', () => {
    expect(properties({ 'log.dirs': 'C:\\Käfig\\日本', port: 1 })).toBe(
      'log.dirs=C:\\\\K\\u00e4fig\\\\\\u65e5\\u672c\nport=1\n',
    );
  });
});
