import { describe, expect, it } from '@jest/globals';
import { nounOf, readAuditSearch, screenOf, verbOf } from './audit-words.js';

describe('words of the audit log', () => {
  it('an action and a resource are said in words, also such as this page does not know yet', () => {
    expect(`${verbOf('create')} the ${nounOf('api_key')}`).toBe('added the API key');
    expect(`${verbOf('make_ready')} the ${nounOf('new_thing')}`).toBe('make ready the new thing');
  });

  it('an entry leads to the screen of its resource, where it has one', () => {
    expect(screenOf('partner_experiment')).toBe('/w/$workspaceId/partner-experiments/$experimentId');
    expect(screenOf('profile')).toBeUndefined();
    expect(screenOf('constructor')).toBeUndefined();
  });

  it('filters of an address are read, and broken ones fall away', () => {
    expect(readAuditSearch({ actor: 'demo-owner', resource: '', resource_id: 7 })).toEqual({
      actor: 'demo-owner',
      resource_id: '7',
    });
  });
});
