import type { SettlementStatus } from '@truetally/contracts/publisher';
import type { MicroInstant } from './instants.js';
import type { SettlementRow } from './read-settlement-row.js';

/** One state of a settlement, as stored. */
export interface SettlementVersion {
  readonly settlementId: string;
  readonly siteId: string;
  readonly provider: string;
  readonly providerTransactionId: string;
  readonly orderReference: string | null;
  /** Keyed hash of the click reference; null without one. */
  readonly referenceHash: string | null;
  readonly status: SettlementStatus;
  readonly currency: string;
  readonly commissionable: bigint;
  readonly commission: bigint;
  readonly transactionAt: MicroInstant;
  readonly updatedAt: MicroInstant;
}

/** Content of a state besides its time of change. */
const TOLD = [
  'orderReference',
  'referenceHash',
  'status',
  'currency',
  'commissionable',
  'commission',
  'transactionAt',
] as const satisfies readonly (keyof SettlementVersion)[];
export type ToldState = Pick<SettlementVersion, (typeof TOLD)[number]>;

/**
 * The handling of a received state:
 *
 * - `counts`: it is new, or newer than the current one.
 * - `history`: an older one that was unknown; it is stored, but does not count.
 * - `known`: a repetition.
 * - `contradicts`: it has the same time of change as a different state.
 */
export type Verdict =
  | { readonly kind: 'counts'; readonly version: SettlementVersion }
  | { readonly kind: 'history'; readonly version: SettlementVersion }
  | { readonly kind: 'known' }
  | { readonly kind: 'contradicts' };

/** What an offered state of a settlement is compared with. */
export interface KnownSettlement {
  readonly current: SettlementVersion;
  /** By `updatedAt`: the current one, and all that have the `updatedAt` of an offered one. */
  readonly states: ReadonlyMap<MicroInstant, ToldState>;
}

/**
 * The newest `updated_at` wins, in any order of arrival (interface page, section 8). Without a time of
 * change, the time of observation counts. A settlement whose reference was erased keeps its click, whatever reference is told of it later.
 */
export function decideSettlement(
  offered: SettlementVersion,
  known: KnownSettlement | undefined,
  { isChangeTimed, seenAt }: { readonly isChangeTimed: boolean; readonly seenAt: MicroInstant },
): Verdict {
  if (known === undefined) return { kind: 'counts', version: offered };
  const { current, states } = known;
  const version = isErased(current.referenceHash)
    ? { ...offered, referenceHash: current.referenceHash }
    : offered;
  if (!isChangeTimed) {
    if (tellsTheSame(offered, current)) return { kind: 'known' };
    if (offered.updatedAt > current.updatedAt) return { kind: 'counts', version };
    const updatedAt = seenAt > current.updatedAt ? seenAt : nextMicrosecond(current.updatedAt);
    return { kind: 'counts', version: { ...version, updatedAt } };
  }
  const same = states.get(offered.updatedAt);
  if (same !== undefined) return { kind: tellsTheSame(offered, same) ? 'known' : 'contradicts' };
  return { kind: offered.updatedAt > current.updatedAt ? 'counts' : 'history', version };
}

/** The erasure of a person gives a reference 16 random bytes in place of its keyed hash, which has 32. */
const ERASED_DIGITS = 32;

function isErased(referenceHash: string | null): boolean {
  return referenceHash?.length === ERASED_DIGITS;
}

/** A row as a state of its settlement, with the keyed hash in place of its reference. */
export function versionOf(
  row: SettlementRow,
  place: Pick<SettlementVersion, 'provider' | 'referenceHash' | 'settlementId' | 'siteId'>,
): SettlementVersion {
  return {
    settlementId: place.settlementId,
    siteId: place.siteId,
    provider: place.provider,
    providerTransactionId: row.providerTransactionId,
    orderReference: row.orderReference,
    referenceHash: place.referenceHash,
    status: row.status,
    currency: row.currency,
    commissionable: row.commissionable,
    commission: row.commission,
    transactionAt: row.transactionAt,
    updatedAt: row.updatedAt,
  };
}

/** What an erased reference was is not known: any is the same. */
function tellsTheSame(offered: ToldState, known: ToldState): boolean {
  return TOLD.every(
    (name) => offered[name] === known[name] || (name === 'referenceHash' && isErased(known.referenceHash)),
  );
}

const MICROSECONDS_PER_MS = 1_000;

function nextMicrosecond(instant: MicroInstant): MicroInstant {
  const micros = Number(instant.slice(-4, -1)) + 1;
  const ms = Date.parse(`${instant.slice(0, -4)}Z`) + Math.floor(micros / MICROSECONDS_PER_MS);
  return `${new Date(ms).toISOString().slice(0, -1)}${String(micros % MICROSECONDS_PER_MS).padStart(3, '0')}Z`;
}
