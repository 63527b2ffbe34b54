import { numberOf } from '@truetally/kernel';
import { Optional, WholeNumber } from '../validation/decorators.js';

const COUNT = { min: 0, max: 1_000_000 };
const MANY = { min: 0, max: 1_000_000_000 };
const PER_HOUR = { min: 1, max: 1_000_000_000 };
const BYTES = { min: 0, max: 1_000_000_000_000 };

/** How much a workspace may hold at a time (interface page, section 9); for some resources, per site. */
export const DEFAULT_QUOTAS = {
  sites: 100,
  /** Including invited ones. */
  members: 500,
  /** Of one site: keys that are neither revoked nor expired. */
  api_keys: 100,
  /** Of the whole workspace, whatever their status. */
  campaigns: 5_000,
  /** Per site: UTF-8 bytes of the JSON of its active campaigns' content, in total. */
  active_content_bytes: 1_048_576,
  media: 10_000,
  media_bytes: 2_147_483_648,
  integrations: 20,
  /** These five are counted at most once a minute, because there may be very many of them. */
  products: 1_000_000,
  profiles: 1_000_000,
  submissions: 1_000_000,
  /** Of the last 90 days, because none is ever deleted. */
  audit_entries: 1_000_000,
  jobs: 100_000,
  /** What a key may set as its own limit. */
  api_key_hourly_limit: 1_000_000_000,
  /** What a site may set as the limit of its visitors. */
  site_hourly_limit: 1_000_000_000,
} as const;

/** Name of a quota. */
export type Quota = keyof typeof DEFAULT_QUOTAS;
/** The limit of every quota. */
export type Quotas = Readonly<Record<Quota, number>>;

/** Every quota of a workspace, as clients read it. */
export class WorkspaceQuotas implements Quotas {
  @WholeNumber(COUNT) readonly sites!: number;
  @WholeNumber(COUNT) readonly members!: number;
  @WholeNumber(COUNT) readonly api_keys!: number;
  @WholeNumber(COUNT) readonly campaigns!: number;
  @WholeNumber(BYTES) readonly active_content_bytes!: number;
  @WholeNumber(COUNT) readonly media!: number;
  @WholeNumber(BYTES) readonly media_bytes!: number;
  @WholeNumber(COUNT) readonly integrations!: number;
  @WholeNumber(MANY) readonly products!: number;
  @WholeNumber(MANY) readonly profiles!: number;
  @WholeNumber(MANY) readonly submissions!: number;
  @WholeNumber(MANY) readonly audit_entries!: number;
  @WholeNumber(MANY) readonly jobs!: number;
  @WholeNumber(PER_HOUR) readonly api_key_hourly_limit!: number;
  @WholeNumber(PER_HOUR) readonly site_hourly_limit!: number;
}

/** Existing workspaces that one user created. Operators cannot change it. */
export const WORKSPACES_PER_USER = 20;

/** An operator's quotas of a workspace; null resets to the default. */
export class QuotasBody {
  @Optional() @WholeNumber(COUNT) sites?: number | null;
  @Optional() @WholeNumber(COUNT) members?: number | null;
  @Optional() @WholeNumber(COUNT) api_keys?: number | null;
  @Optional() @WholeNumber(COUNT) campaigns?: number | null;
  @Optional() @WholeNumber(BYTES) active_content_bytes?: number | null;
  @Optional() @WholeNumber(COUNT) media?: number | null;
  @Optional() @WholeNumber(BYTES) media_bytes?: number | null;
  @Optional() @WholeNumber(COUNT) integrations?: number | null;
  @Optional() @WholeNumber(MANY) products?: number | null;
  @Optional() @WholeNumber(MANY) profiles?: number | null;
  @Optional() @WholeNumber(MANY) submissions?: number | null;
  @Optional() @WholeNumber(MANY) audit_entries?: number | null;
  @Optional() @WholeNumber(MANY) jobs?: number | null;
  @Optional() @WholeNumber(PER_HOUR) api_key_hourly_limit?: number | null;
  @Optional() @WholeNumber(PER_HOUR) site_hourly_limit?: number | null;
}

/** All quotas: those that are set, and defaults for the others. */
export function quotasOf(said: QuotasBody | null | undefined): Quotas {
  const quota = (name: Quota): number => numberOf(said?.[name] ?? DEFAULT_QUOTAS[name]);
  return {
    sites: quota('sites'),
    members: quota('members'),
    api_keys: quota('api_keys'),
    campaigns: quota('campaigns'),
    active_content_bytes: quota('active_content_bytes'),
    media: quota('media'),
    media_bytes: quota('media_bytes'),
    integrations: quota('integrations'),
    products: quota('products'),
    profiles: quota('profiles'),
    submissions: quota('submissions'),
    audit_entries: quota('audit_entries'),
    jobs: quota('jobs'),
    api_key_hourly_limit: quota('api_key_hourly_limit'),
    site_hourly_limit: quota('site_hourly_limit'),
  };
}

/** Only what differs from the defaults, so that unset quotas follow a change of the defaults. */
export function changedQuotas(quotas: Quotas): Partial<Quotas> {
  const names = Object.keys(DEFAULT_QUOTAS) as Quota[];
  return Object.fromEntries(
    names.filter((name) => quotas[name] !== DEFAULT_QUOTAS[name]).map((name) => [name, quotas[name]]),
  );
}
