import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookVerificationError } from './verify-webhook.js';

const SECRET = `whsec_${Buffer.from('a secret of twenty-four b').toString('base64')}`;
const OTHER = `whsec_${Buffer.from('another of twenty-four by').toString('base64')}`;
const BODY = JSON.stringify({
  type: 'conversion.purchase',
  timestamp: '2026-01-31T09:30:00.000Z',
  data: { order_id: 'Ä-1' },
});

function signed(secret: string, at = new Date(), body = BODY): Record<string, string> {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', at, body),
  };
}

describe('verifyWebhook', () => {
  it('a delivery signed by the reference implementation is read, with headers of any form', () => {
    const headers = signed(SECRET);
    const expected = JSON.parse(BODY) as unknown;
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    );
    expect(verifyWebhook(BODY, headers, SECRET)).toEqual(expected);
    expect(verifyWebhook(Buffer.from(BODY), new Headers(headers), SECRET)).toEqual(expected);
    expect(verifyWebhook(BODY, upper, SECRET)).toEqual(expected);
  });

  it('either of two signatures, and either of two secrets, is enough', () => {
    // Signed in one second: a signature holds for the timestamp beside it.
    const at = new Date();
    const signatures = [OTHER, SECRET].map((secret) => signed(secret, at)['webhook-signature']);
    const both = { ...signed(OTHER, at), 'webhook-signature': signatures.join(' ') };
    expect(verifyWebhook(BODY, both, SECRET)).toBeDefined();
    expect(verifyWebhook(BODY, signed(OTHER), [SECRET, OTHER])).toBeDefined();
  });

  it('a changed body, another secret, an old time and missing headers are refused', () => {
    const withoutId = signed(SECRET);
    delete withoutId['webhook-id'];
    const old = new Date(Date.now() - 6 * 60 * 1000);
    const soon = new Date(Date.now() + 6 * 60 * 1000);
    const refused: readonly (readonly [string, Record<string, string>, string])[] = [
      [`${BODY} `, signed(SECRET), SECRET],
      [BODY, signed(SECRET), OTHER],
      [BODY, signed(SECRET, old), SECRET],
      [BODY, signed(SECRET, soon), SECRET],
      [BODY, withoutId, SECRET],
      [BODY, { ...signed(SECRET), 'webhook-signature': 'v1,' }, SECRET],
      [BODY, { ...signed(SECRET), 'webhook-timestamp': 'now' }, SECRET],
      [BODY, signed(SECRET), 'whsec_'],
    ];
    for (const [body, headers, secret] of refused) {
      expect(() => verifyWebhook(body, headers, secret)).toThrow(WebhookVerificationError);
    }
  });

  it('a body that was parsed before, no headers and no secret are refused as every other request', () => {
    const call = verifyWebhook as (...parameters: readonly unknown[]) => unknown;
    expect(() => call(JSON.parse(BODY), signed(SECRET), SECRET)).toThrow('something has parsed it');
    for (const parameters of [
      [undefined, signed(SECRET), SECRET],
      [BODY, undefined, SECRET],
      [BODY, signed(SECRET), undefined],
      [BODY, signed(SECRET), []],
    ]) {
      expect(() => call(...parameters)).toThrow(WebhookVerificationError);
    }
  });
});
