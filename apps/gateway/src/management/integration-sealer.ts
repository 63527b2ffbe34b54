import { randomUUID } from 'node:crypto';
import {
  credentialMatchFields,
  formOfCredentials,
  type IntegrationCredentials,
  type IntegrationFields,
  type IntegrationPatch,
  integrationSealContext,
  type NewIntegration,
  readIntegration,
  readIntegrationPatch,
  type SealedCredentials,
} from '@truetally/contracts/management';
import type { ReachableAddresses } from '@truetally/contracts/validation';
import type { KeyringFile } from '@truetally/keyring';
import type { Exchange } from '../http/exchange.js';
import { refuse } from '../http/respond.js';
import type { Prepared } from '../ask/resource.js';

/**
 * Seals an integration's credentials before they reach any topic. The whole body is validated here instead of
 * in the service, because in an invalid body a secret could be anywhere.
 */
export class IntegrationSealer {
  constructor(
    private readonly keys: Pick<KeyringFile, 'keyring'>,
    private readonly reachable: ReachableAddresses,
  ) {}

  /** A new integration gets its id here, because the id is part of its credentials' seal context. */
  readonly create = (body: unknown, exchange: Exchange): Prepared => {
    const fields = readIntegration(body);
    if (!fields.ok) return refused(exchange, fields.error);
    if (!this.mayBeCalled(fields.value)) return refused(exchange, INNER_HOST);
    const { credentials, ...rest } = fields.value;
    const id = randomUUID();
    const integration: NewIntegration = { id, ...rest, credentials: this.seal(credentials, id) };
    return { body: integration, fingerprinted: { ...rest, credentials: this.match(credentials) } };
  };

  change(id: string) {
    return (body: unknown, exchange: Exchange): Prepared => {
      const fields = readIntegrationPatch(body);
      if (!fields.ok) return refused(exchange, fields.error);
      if (!this.mayBeCalled(fields.value)) return refused(exchange, INNER_HOST);
      const { credentials, ...rest } = fields.value;
      if (credentials === undefined) return { body: rest satisfies IntegrationPatch };
      const patch: IntegrationPatch = {
        ...rest,
        credentials: this.seal(credentials, id.toLowerCase()),
        credentials_of: formOfCredentials(credentials),
      };
      return { body: patch };
    };
  }

  /** A URL that cannot be pulled from is refused when it is set, not days later by the first pull. */
  private mayBeCalled({ base_url }: Partial<IntegrationFields>): boolean {
    return base_url === undefined || base_url === null || this.reachable.includesHostOf(base_url);
  }

  private seal(credentials: IntegrationCredentials, id: string): SealedCredentials {
    const { keyId, sealed } = this.keys.keyring.seal(JSON.stringify(credentials), integrationSealContext(id));
    return { key_id: keyId, sealed: sealed.toString('base64') };
  }

  private match(credentials: IntegrationCredentials): string {
    return this.keys.keyring.match(credentialMatchFields(credentials));
  }
}

const INNER_HOST = {
  base_url: ['must not lead to a private, loopback or link-local address, or to a name inside a network'],
};

function refused(exchange: Exchange, details: Readonly<Record<string, readonly string[]>>): Prepared {
  refuse(exchange, 'broken-rules', details);
  return { refused: true };
}
