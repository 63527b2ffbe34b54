export {
  API_KEY_HASH_PATTERN,
  API_KEY_PATTERN,
  API_KEY_PREFIX_PATTERN,
  API_KEY_RANDOM_BYTES,
  apiKeyHash,
  apiKeyPrefix,
  mintApiKey,
  type MintedApiKey,
} from './api-key.js';
export { type Scope, SCOPES } from './scopes.js';
export { TRUST_CLASSES, type TrustClass } from './trust.js';
