import type { CampaignRecord } from './campaign-record.js';

/**
 * Memory that every gateway gives to campaigns. It holds those of all workspaces, so that a bound per site
 * alone would multiply by sites, workspaces and people until no gateway starts any more.
 */
export const HELD_CAMPAIGNS_BYTES = {
  workspace: 8 * 1024 * 1024,
  /** Of all workspaces that one person created. */
  user: 16 * 1024 * 1024,
  /** Of all workspaces: a quarter of a gateway's heap, most of it beside that heap. */
  installation: 96 * 1024 * 1024,
} as const;

/** The entry of any campaign, with its id and version. */
const KNOWN_BYTES = 256;
/** The further entry of an active one, without its texts. */
const SHOWN_BYTES = 1_024;
/** Objects of a targeting text, beside its characters of two bytes each. */
const TARGETING_TEXT_BYTES = 128;
const CHARACTER_BYTES = 2;

/** The part of a campaign that decides what it occupies. */
export interface HeldCampaign extends Pick<CampaignRecord, 'content' | 'name' | 'status'> {
  readonly targeting:
    { readonly [List in keyof CampaignRecord['targeting']]?: readonly string[] | null } | null;
}

/** What a gateway holds of a campaign, in bytes: of an inactive one only its version. */
export function heldBytes({ status, name, content, targeting }: HeldCampaign): number {
  if (status !== 'active') return KNOWN_BYTES;
  const texts = Object.values(targeting ?? {}).flatMap((list) => list ?? []);
  const targetingBytes = texts.reduce(
    (sum, text) => sum + TARGETING_TEXT_BYTES + text.length * CHARACTER_BYTES,
    0,
  );
  return KNOWN_BYTES + SHOWN_BYTES + Buffer.byteLength(JSON.stringify({ name, content })) + targetingBytes;
}
