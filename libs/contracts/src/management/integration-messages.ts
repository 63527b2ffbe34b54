import { recordCodec } from '../facts/record-codec.js';
import type { RecordReader } from '../facts/record-reader.js';
import {
  type CredentialsForm,
  INTEGRATION_PROVIDERS,
  type IntegrationCredentials,
  type IntegrationFields,
  PRODUCT_FEED,
} from './integration.js';

/** Credentials as they leave the gateway. */
export interface SealedCredentials {
  readonly key_id: string;
  /** Base64. */
  readonly sealed: string;
}

/**
 * The body of `create-integration`, validated and sealed by the gateway, which also assigned the
 * id.
 */
export interface NewIntegration extends Omit<IntegrationFields, 'credentials'> {
  readonly id: string;
  readonly credentials: SealedCredentials;
}

/**
 * The body of `update-integration`: the fields that the client sent, validated and sealed by the
 * gateway.
 */
export interface IntegrationPatch extends Partial<Omit<NewIntegration, 'id'>> {
  /** With `credentials`: what they are for, which only the gateway has seen. */
  readonly credentials_of?: CredentialsForm;
}

/** Seal context of an integration's credentials: they cannot be moved to another integration. */
export function integrationSealContext(integrationId: string): readonly string[] {
  return ['integration', integrationId];
}

/**
 * Stands for credentials in request fingerprints. Without the keyring, guesses cannot be tested against it.
 */
export function credentialMatchFields(credentials: IntegrationCredentials): readonly string[] {
  if ('publisher_id' in credentials) return ['integration', credentials.publisher_id, credentials.api_token];
  const { username, password } = credentials;
  return ['feed', JSON.stringify([username, password])];
}

/** The body of `create-integration`, on the wire. */
export const NEW_INTEGRATION = recordCodec((reader): NewIntegration => ({
  id: reader.text('id'),
  site_id: reader.text('site_id'),
  // A fault is noted, so that no unknown one passes.
  provider: reader.oneOf('provider', INTEGRATION_PROVIDERS) ?? INTEGRATION_PROVIDERS[0],
  base_url: reader.textOrNull('base_url'),
  credentials: sealedOf(reader.object('credentials')),
}));

/** The body of `update-integration`, on the wire. */
export const INTEGRATION_CHANGE = recordCodec((reader): IntegrationPatch => {
  const credentials = reader.objectOrNull('credentials');
  const siteId = reader.textOrNull('site_id');
  const hasProvider = reader.anything('provider') !== undefined;
  const provider = hasProvider ? reader.oneOf('provider', INTEGRATION_PROVIDERS) : undefined;
  const hasBaseUrl = reader.anything('base_url') !== undefined;
  const form = credentials === null ? undefined : reader.oneOf('credentials_of', ['network', PRODUCT_FEED]);
  return {
    ...(siteId === null ? {} : { site_id: siteId }),
    ...(provider === undefined ? {} : { provider }),
    ...(hasBaseUrl ? { base_url: reader.textOrNull('base_url') } : {}),
    ...(credentials === null ? {} : { credentials: sealedOf(credentials) }),
    ...(form === undefined ? {} : { credentials_of: form }),
  };
});

function sealedOf(reader: RecordReader): SealedCredentials {
  return { key_id: reader.text('key_id'), sealed: reader.text('sealed') };
}
