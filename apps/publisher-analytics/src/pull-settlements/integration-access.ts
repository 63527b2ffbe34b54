import { readIntegrationAccess, type RecordSync } from '@truetally/contracts/publisher';
import { integrationSealContext, type IntegrationProvider } from '@truetally/contracts/management';
import { TOPICS } from '@truetally/contracts/topics';
import { fail, type Result, succeed } from '@truetally/kernel';
import type { KeyringFile } from '@truetally/keyring';
import { type KafkaAskClient, TransientError } from '@truetally/messaging';
import type { NetworkAccount } from '../connectors/network-connector.js';

/** An integration for a pull, with its credentials decrypted: they stay in this process' memory. */
export interface OpenedIntegration {
  readonly siteId: string;
  readonly provider: IntegrationProvider;
  readonly baseUrl: string | null;
  readonly account: NetworkAccount;
}

/** Asks management for integrations, and reports the outcome of their pulls. */
export class IntegrationAccess {
  constructor(
    private readonly asker: Pick<KafkaAskClient, 'ask' | 'tell'>,
    private readonly keys: Pick<KeyringFile, 'keyring'>,
  ) {}

  /** @throws TransientError while management is unavailable */
  async open(integrationId: string): Promise<Result<OpenedIntegration, 'gone' | 'sealed'>> {
    const reply = await this.asker.ask({
      to: TOPICS.readIntegrationAccess.name,
      key: integrationId,
      value: JSON.stringify({ integration_id: integrationId }),
      kind: 'query',
    });
    if ('error' in reply) {
      if (reply.error.code === 'NOT_FOUND') return fail('gone');
      throw new TransientError(reply.error.message);
    }
    const access = readIntegrationAccess(reply.ok);
    if (!access.ok) throw new Error(`The reply of ${TOPICS.readIntegrationAccess.name} is ${access.error}.`);
    const { site_id: siteId, provider, base_url: baseUrl, credentials } = access.value;
    const sealed = { keyId: credentials.key_id, sealed: Buffer.from(credentials.sealed, 'base64') };
    const opened = this.keys.keyring.open(sealed, integrationSealContext(integrationId));
    if (!opened.ok) return fail('sealed');
    // As sealed by the gateway.
    const { publisher_id: publisherId, api_token: apiToken } = JSON.parse(opened.value) as Credentials;
    return succeed({ siteId, provider, baseUrl, account: { publisherId, apiToken } });
  }

  tell(told: RecordSync): Promise<void> {
    const { integration_id: key } = told;
    return this.asker.tell({ to: TOPICS.recordSync.name, key, value: JSON.stringify(told) });
  }
}

interface Credentials {
  readonly publisher_id: string;
  readonly api_token: string;
}
