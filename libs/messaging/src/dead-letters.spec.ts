import { describe, expect, it } from '@jest/globals';
import { deadLetterHeaders } from './dead-letters.js';

describe('the headers of a dead letter', () => {
  it('the headers of a dead letter are those that came and why, without those the driver cannot write', () => {
    const came = { 'request-id': Buffer.from('r'), empty: null, twice: [Buffer.from('a'), null] };
    const message = { key: null, value: null, offset: '7', timestamp: '1', attributes: 0, headers: came };
    const headers = deadLetterHeaders({
      topic: 'asks',
      partition: 3,
      message: message as never,
      group: 'service',
      attempts: 2,
      reason: new Error('why'),
    });
    expect(headers).toMatchObject({ 'request-id': Buffer.from('r'), 'dead-letter-offset': '7' });
    expect(headers).not.toHaveProperty('empty');
    expect(headers).not.toHaveProperty('twice');
  });
});
