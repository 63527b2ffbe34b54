import { describe, expect, it } from '@jest/globals';
import type { WorkflowRecord } from '@truetally/contracts/facts';
import { workflowSealContext } from '@truetally/contracts/management';
import { Keyring, newKeyring } from '@truetally/keyring';
import { Webhook } from 'standardwebhooks';
import { signWebhook } from './sign-webhook.js';

const ID = '0b5e0000-0000-4000-8000-000000000001';
const DELIVERY = '0b5e0000-0000-4000-8000-000000000002';
const NOW_MS = Date.now();
const DAY_MS = 86_400_000;
const [NEW, FORMER, FIRST] = [1, 2, 3].map(
  (byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`,
) as [string, string, string];
const keyring = new Keyring(newKeyring(NOW_MS));

const sealed = (secret: string) => {
  const { keyId, sealed: bytes } = keyring.seal(secret, workflowSealContext(ID));
  return { key_id: keyId, sealed: bytes.toString('base64') };
};
/** @param formerUntil for how long each of the secrets before signs, the newest first */
const workflow = (...formerUntil: readonly number[]) =>
  ({
    workflow_id: ID,
    secret: sealed(NEW),
    former_secrets: formerUntil.map((until, index) => ({
      ...sealed([FORMER, FIRST][index] ?? ''),
      until: new Date(NOW_MS + until).toISOString(),
    })),
  }) as Partial<WorkflowRecord> as WorkflowRecord;

describe('the signature of a webhook', () => {
  it.each<[string, readonly number[], readonly string[], readonly string[]]>([
    ['alone', [], [NEW], [FORMER]],
    ['with the former one for a day', [DAY_MS], [NEW, FORMER], []],
    ['with the former one until its last second', [1_000], [NEW, FORMER], []],
    ['alone from then on', [0], [NEW], [FORMER]],
    ['with each former one of a day', [DAY_MS, 1_000], [NEW, FORMER, FIRST], []],
    ['with the former one that signs longer', [DAY_MS, 0], [NEW, FORMER], [FIRST]],
  ])('a secret signs %s', (_, until, verifying, failing) => {
    const asked = { deliveryId: DELIVERY, body: '{"a":1}', nowMs: NOW_MS };
    const headers = { ...signWebhook({ keyring }, workflow(...until), asked) };
    expect(headers['webhook-id']).toBe(`msg_${DELIVERY.replaceAll('-', '')}`);
    for (const secret of verifying) expect(new Webhook(secret).verify(asked.body, headers)).toEqual({ a: 1 });
    for (const secret of failing) expect(() => new Webhook(secret).verify(asked.body, headers)).toThrow();
  });

  it('a secret whose key is gone signs nothing', () => {
    const other = new Keyring(newKeyring(NOW_MS));
    const asked = { deliveryId: DELIVERY, body: '{}', nowMs: NOW_MS };
    expect(signWebhook({ keyring: other }, workflow(), asked)).toBeUndefined();
  });
});
