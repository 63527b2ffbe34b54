import { randomUUID } from 'node:crypto';
import type { TouchCommand } from '@truetally/contracts/attribution';
import { fingerprintHex } from '@truetally/kernel';

/** An inbound touch of a partner, the day before the purchase that `aPurchase` makes. */
export function aTouch(given: Partial<TouchCommand> = {}): TouchCommand {
  const touch = {
    touch_id: randomUUID(),
    provider: 'awin',
    direction: 'inbound',
    partner_id: 'partner-1',
    landing_path: '/landing',
    occurred_at: '2026-01-30T09:30:00.000Z',
    provenance: 'browser_sdk',
    session_id: null,
    click: { key_id: 'k1', sealed: Buffer.from('sealed').toString('base64'), hash: 'a'.repeat(64) },
    ...given,
  } as const;
  return { ...touch, fingerprint: fingerprintHex([JSON.stringify(touch)]) };
}
