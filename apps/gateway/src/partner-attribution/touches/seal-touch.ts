import {
  clickMatchFields,
  clickSealContext,
  type SealedClick,
  type TouchCommand,
} from '@truetally/contracts/attribution';
import { fingerprintHex } from '@truetally/kernel';
import type { Keyring } from '@truetally/keyring';
import type { PreparedTouch } from './prepare-touches.js';

/** Identifies the fields below and their order: another list of fields gets a new format. */
const FORMAT = 'touch.1';

/**
 * The touch as it may leave the gateway. Its click value is sealed, and its fingerprint has the keyed hash in
 * the value's place: the fingerprint is independent of the sealing key and does not reveal the value.
 */
export function sealTouch(
  { clickValue, ...touch }: PreparedTouch,
  siteId: string,
  keyring: Keyring,
): TouchCommand {
  const click = clickValue === null ? null : sealClick(clickValue, siteId, touch.touch_id, keyring);
  const fingerprint = fingerprintHex([
    FORMAT,
    touch.touch_id,
    touch.provider,
    touch.direction,
    touch.partner_id,
    touch.landing_path,
    touch.occurred_at,
    touch.provenance,
    touch.session_id,
    click?.hash ?? null,
  ]);
  return { ...touch, click, fingerprint };
}

function sealClick(value: string, siteId: string, touchId: string, keyring: Keyring): SealedClick {
  const { keyId, sealed } = keyring.seal(value, clickSealContext(siteId, touchId));
  return {
    key_id: keyId,
    sealed: sealed.toString('base64'),
    hash: keyring.match(clickMatchFields(siteId, value)),
  };
}
