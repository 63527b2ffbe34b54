import { hash } from 'node:crypto';
import {
  type CampaignRecord,
  type CampaignType,
  HELD_CAMPAIGNS_BYTES,
  heldBytes,
} from '@truetally/contracts/facts';
import { isTargeted, type Targeting, targetingOf, type Visit } from '@truetally/contracts/targeting';
import { compareRevisions, NO_REVISION, parseInstant, type Revision } from '@truetally/kernel';
import { GoneIds } from '../credentials/gone-ids.js';

/** The data of a campaign that may be shown. */
export interface ShownCampaign {
  readonly campaignId: string;
  readonly createdAtMs: number;
  /** Start of the schedule, inclusive. */
  readonly fromMs: number;
  /** End of the schedule, exclusive. */
  readonly toMs: number;
  readonly targeting: Targeting;
  /**
   * The item of the answer, as JSON in UTF-8: outside of the heap, and without the second byte per character of
   * a string that has one character beyond Latin-1.
   */
  readonly item: Buffer;
  /** Digest of the item, part of an answer's entity tag. */
  readonly digest: string;
}

interface Known extends Revision {
  /** Key of its list; undefined for an inactive one. */
  readonly place: string | undefined;
  readonly bytes: number;
  /** It is active, and there is no room for it. */
  readonly isLeftOut: boolean;
}

/**
 * All campaigns in memory, from the compacted topic `campaigns.v1`: storefronts are answered without a query.
 * Older revisions than the known one are ignored. Of an inactive campaign only the revision is kept. The active
 * ones of a site and type are in one list, newest first, so that an answer reads no others. What they occupy
 * is bounded: management accepts no more, and whatever a topic contains beyond it is left out, the last to
 * arrive first, because a gateway that does not start helps nobody.
 */
export class CampaignDirectory {
  private readonly known = new Map<string, Known>();
  private readonly shown = new Map<string, ShownCampaign[]>();
  private readonly gone = new GoneIds();
  private bytes = 0;
  private leftOut = 0;

  /** @param onLeftOut an active campaign is not shown until it changes, or this process starts again */
  constructor(
    private readonly onLeftOut: (campaignId: string) => void = () => undefined,
    private readonly maxBytes: number = HELD_CAMPAIGNS_BYTES.installation,
  ) {}

  /** Bytes that campaigns occupy, and how many are left out for want of room. */
  get memory(): { readonly bytes: number; readonly leftOut: number } {
    return { bytes: this.bytes, leftOut: this.leftOut };
  }

  put(record: CampaignRecord, incarnation: number): void {
    const { campaign_id: campaignId, version } = record;
    const revision = { incarnation, version };
    if (this.gone.has(campaignId, incarnation)) return;
    if (compareRevisions(this.known.get(campaignId) ?? NO_REVISION, revision) > 0) return;
    this.forget(campaignId);
    const isActive = record.status === 'active';
    const isLeftOut = isActive && this.bytes + heldBytes(record) > this.maxBytes;
    const place = isActive && !isLeftOut ? placeOf(record.site_id, record.type) : undefined;
    const bytes = heldBytes(isLeftOut ? { ...record, status: 'paused' } : record);
    this.bytes += bytes;
    if (isLeftOut) this.leaveOut(campaignId);
    this.known.set(campaignId, { ...revision, place, bytes, isLeftOut });
    if (place === undefined) return;
    const campaign = shownCampaign(record);
    const list = this.shown.get(place) ?? [];
    list.splice(positionIn(list, campaign), 0, campaign);
    this.shown.set(place, list);
  }

  /** The topic has deleted it. */
  remove(campaignId: string, incarnation: number): void {
    if ((this.known.get(campaignId)?.incarnation ?? 0) > incarnation) return;
    this.gone.add(campaignId, incarnation);
    this.forget(campaignId);
  }

  /** Forgets it until the topic contains it again. */
  forget(campaignId: string): void {
    const known = this.known.get(campaignId);
    if (known === undefined) return;
    const { place, bytes, isLeftOut } = known;
    this.known.delete(campaignId);
    this.bytes -= bytes;
    if (isLeftOut) this.leftOut -= 1;
    if (place === undefined) return;
    const rest = this.shown.get(place)?.filter((campaign) => campaign.campaignId !== campaignId) ?? [];
    if (rest.length > 0) this.shown.set(place, rest);
    else this.shown.delete(place);
  }

  /** Keys of all known campaigns. */
  keys(): Iterable<string> {
    return this.known.keys();
  }

  /** Whether this version of the campaign, or a later one, is known. */
  isKnown(campaignId: string, version: number): boolean {
    return (this.known.get(campaignId)?.version ?? 0) >= version;
  }

  /** Null for a deleted campaign, undefined for an unknown one. */
  versionOf(campaignId: string): number | null | undefined {
    const known = this.known.get(campaignId);
    if (known !== undefined) return known.version;
    return this.gone.has(campaignId, 0) ? null : undefined;
  }

  /** The campaigns of a visit now: active, in schedule and targeted, newest first, then by id. */
  select(siteId: string, type: CampaignType, visit: Visit, nowMs: number): readonly ShownCampaign[] {
    const list = this.shown.get(placeOf(siteId, type)) ?? [];
    return list.filter((campaign) => isShown(campaign, visit, nowMs));
  }

  /** The one with this id, if `select` would give it. */
  selectOne(
    siteId: string,
    type: CampaignType,
    campaignId: string,
    visit: Visit,
    nowMs: number,
  ): ShownCampaign | undefined {
    const place = placeOf(siteId, type);
    if (this.known.get(campaignId)?.place !== place) return undefined;
    const campaign = this.shown.get(place)?.find((one) => one.campaignId === campaignId);
    return campaign !== undefined && isShown(campaign, visit, nowMs) ? campaign : undefined;
  }

  private leaveOut(campaignId: string): void {
    this.leftOut += 1;
    this.onLeftOut(campaignId);
  }
}

function isShown({ fromMs, toMs, targeting }: ShownCampaign, visit: Visit, nowMs: number): boolean {
  return fromMs <= nowMs && nowMs < toMs && isTargeted(targeting, visit);
}

function placeOf(siteId: string, type: CampaignType): string {
  return `${type}:${siteId}`;
}

function shownCampaign(record: CampaignRecord): ShownCampaign {
  const { campaign_id, name, content, schedule, targeting, created_at } = record;
  const item = exactBytes(JSON.stringify({ campaign_id, name, content }));
  return {
    campaignId: campaign_id,
    createdAtMs: instantOr(created_at, 0),
    fromMs: instantOr(schedule.from, -Infinity),
    toMs: instantOr(schedule.to, Infinity),
    targeting: targetingOf(targeting),
    item,
    digest: hash('sha256', item, 'base64url'),
  };
}

/** In memory of its own: a slice of a shared block would keep all of that block. */
function exactBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

function instantOr(text: string | null, absent: number): number {
  return text === null ? absent : (parseInstant(text)?.epochMs ?? absent);
}

/**
 * The position of a campaign in a list that is newest first, by binary search, because a topic contains many
 * at startup.
 */
function positionIn(list: readonly ShownCampaign[], campaign: ShownCampaign): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = list[middle];
    if (other !== undefined && isBefore(other, campaign)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isBefore(left: ShownCampaign, right: ShownCampaign): boolean {
  if (left.createdAtMs !== right.createdAtMs) return left.createdAtMs > right.createdAtMs;
  return left.campaignId > right.campaignId;
}
