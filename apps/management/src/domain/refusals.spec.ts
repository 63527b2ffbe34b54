import { describe, expect, it } from '@jest/globals';
import { refusals } from './refusals.js';

describe('refusals of commands', () => {
  it.each([
    [refusals.noWorkspace(), 'NOT_FOUND', []],
    [refusals.noSite(), 'NOT_FOUND', []],
    [refusals.noJob(), 'NOT_FOUND', []],
    [refusals.tooManyActiveCampaigns(7), 'CONFLICT', ['status']],
    [refusals.quotaExceeded({ quota: 'sites', most: 7 }), 'CONFLICT', ['sites']],
    [refusals.ownerSuspended(), 'FORBIDDEN', []],
    [refusals.noCampaign(), 'NOT_FOUND', []],
    [refusals.noMedia(), 'NOT_FOUND', []],
    [refusals.noProduct(), 'NOT_FOUND', []],
    [refusals.noIntegration(), 'NOT_FOUND', []],
    [refusals.noApiKey(), 'NOT_FOUND', []],
    [refusals.noMember(), 'NOT_FOUND', []],
    [refusals.memberTaken('sub'), 'CONFLICT', ['sub']],
    [refusals.memberTaken('email'), 'CONFLICT', ['email']],
    [refusals.roleForbidden(), 'FORBIDDEN', []],
    [refusals.ownersOnly(), 'FORBIDDEN', []],
    [refusals.lastOwner(), 'CONFLICT', []],
    [refusals.keyNotLive(), 'CONFLICT', []],
    [refusals.keyTaken(), 'CONFLICT', ['prefix']],
    [refusals.productTaken(), 'CONFLICT', ['product_id']],
    [refusals.siteFixed(), 'VALIDATION_ERROR', ['site_id']],
    [refusals.jobFinished('failed'), 'CONFLICT', ['state']],
    [refusals.noDeadLetter(), 'NOT_FOUND', []],
    [refusals.deadLetterHandled('replayed'), 'CONFLICT', ['state']],
    [refusals.deadLetterGone(), 'CONFLICT', ['id']],
    [refusals.deadLetterIsState(), 'CONFLICT', ['topic']],
    [refusals.deadLetterTooOld(), 'CONFLICT', ['id']],
    [refusals.notCancellable(), 'CONFLICT', ['type']],
  ])('%j has the code %s and names %j, each with one message', ({ error }, code, fields) => {
    expect([error.code, Object.keys(error.details)]).toEqual([code, fields]);
    expect(error.message).not.toBe('');
    for (const messages of Object.values(error.details))
      expect(messages).toEqual([expect.stringMatching(/./)]);
  });

  it('say what there is already, and the bound', () => {
    const said = JSON.stringify([
      refusals.tooManyActiveCampaigns(7),
      refusals.quotaExceeded({ quota: 'sites', most: 8 }),
      refusals.jobFinished('failed'),
      refusals.deadLetterHandled('replayed'),
    ]);
    for (const word of ['7', '8', 'failed', 'replayed']) expect(said).toContain(word);
  });
});
