import { type SealedText, type WorkflowRecord } from '@truetally/contracts/facts';
import { workflowSealContext } from '@truetally/contracts/management';
import type { KeyringFile } from '@truetally/keyring';
import { Webhook } from 'standardwebhooks';

/** The headers of Standard Webhooks. */
export interface SignedHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/** The `webhook-id` of a delivery: the same in each of its attempts. */
export function webhookIdOf(deliveryId: string): string {
  return `msg_${deliveryId.replaceAll('-', '')}`;
}

/**
 * Signs with the secret in force, and with those before while they sign, too.
 * @returns undefined when the keyring has not the key that sealed the secret
 */
export function signWebhook(
  keys: Pick<KeyringFile, 'keyring'>,
  workflow: WorkflowRecord,
  { deliveryId, body, nowMs }: { readonly deliveryId: string; readonly body: string; readonly nowMs: number },
): SignedHeaders | undefined {
  const signing = workflow.former_secrets.filter(({ until }) => Date.parse(until) > nowMs);
  const secrets = [workflow.secret, ...signing].map((sealed) =>
    openSecret(keys, workflow.workflow_id, sealed),
  );
  const known = secrets.filter((secret) => secret !== undefined);
  if (known.length < secrets.length) return undefined;
  const id = webhookIdOf(deliveryId);
  const at = new Date(nowMs);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(nowMs / 1_000)),
    'webhook-signature': known.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}

function openSecret(
  keys: Pick<KeyringFile, 'keyring'>,
  workflowId: string,
  { key_id: keyId, sealed }: SealedText,
): string | undefined {
  const opened = keys.keyring.open(
    { keyId, sealed: Buffer.from(sealed, 'base64') },
    workflowSealContext(workflowId),
  );
  return opened.ok ? opened.value : undefined;
}
