export { Keyring, type OpenFault, type Sealed } from './keyring.js';
export { type KeyringContent, MAX_KEYS, newKey, newKeyring, parseKeyring } from './keyring-content.js';
export {
  KEYRING_POLL_INTERVAL_MS,
  KeyringFile,
  type KeyringFileOptions,
  readKeyringFile,
  writeKeyringFile,
} from './keyring-file.js';
export { endRotation, promoteKey, retirableKeys, retireKeys, stageKey } from './rotation.js';
