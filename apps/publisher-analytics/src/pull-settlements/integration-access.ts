import { PUBLISHER_ANALYTICS, type RecordSync } from '@truetally/contracts/publisher';
import { integrationSealContext, type NetworkProvider, PRODUCT_FEED } from '@truetally/contracts/management';
import { OPERATIONS } from '@truetally/contracts/topics';
import { fail, type Result, succeed } from '@truetally/kernel';
import type { KeyringFile } from '@truetally/keyring';
import { type KafkaAskClient, OperationAsker, TransientError } from '@truetally/messaging';
import type { NetworkAccount } from '../connectors/network-connector.js';

/** An integration for a pull, with its credentials decrypted: they stay in this process' memory. */
export interface OpenedIntegration {
  readonly siteId: string;
  readonly provider: NetworkProvider;
  readonly baseUrl: string | null;
  readonly account: NetworkAccount;
  /** Of its settings. */
  readonly version: number;
}

/** Asks management for integrations, and reports the outcome of their pulls. */
export class IntegrationAccess {
  private readonly asker: OperationAsker;

  constructor(
    client: Pick<KafkaAskClient, 'ask' | 'tell'>,
    private readonly keys: Pick<KeyringFile, 'keyring'>,
  ) {
    this.asker = new OperationAsker(client, PUBLISHER_ANALYTICS.name);
  }

  /** @throws TransientError while management is unavailable */
  async open(integrationId: string): Promise<Result<OpenedIntegration, 'gone' | 'sealed'>> {
    const access = await this.asker.ask(OPERATIONS.readIntegrationAccess, { integration_id: integrationId });
    if ('error' in access) {
      if (access.error.code === 'NOT_FOUND') return fail('gone');
      throw new TransientError(access.error.message);
    }
    const { site_id: siteId, provider, base_url: baseUrl, credentials, version } = access.ok;
    // Its products are read by another program.
    if (provider === PRODUCT_FEED) return fail('gone');
    const sealed = { keyId: credentials.key_id, sealed: Buffer.from(credentials.sealed, 'base64') };
    const opened = this.keys.keyring.open(sealed, integrationSealContext(integrationId));
    if (!opened.ok) return fail('sealed');
    // As sealed by the gateway.
    const { publisher_id: publisherId, api_token: apiToken } = JSON.parse(opened.value) as Credentials;
    return succeed({ siteId, provider, baseUrl, account: { publisherId, apiToken }, version });
  }

  tell(told: RecordSync): Promise<void> {
    return this.asker.tell(OPERATIONS.recordSync, told);
  }
}

interface Credentials {
  readonly publisher_id: string;
  readonly api_token: string;
}
