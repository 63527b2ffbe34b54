import { describe, expect, it } from '@jest/globals';
import { formatAddress, readAddress } from './address.js';

describe('an address', () => {
  it.each([
    ['ingestion.track-event', { topic: 'ingestion.track-event' }],
    ['management.commands/create-site', { topic: 'management.commands', operation: 'create-site' }],
  ])('%s is a topic, or an operation of one', (text, address) => {
    expect(readAddress(text)).toEqual(address);
    expect(formatAddress(address)).toBe(text);
  });
});
