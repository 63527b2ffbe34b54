import type { ChainHead, LedgerRow } from './ledger-row.js';
import { FIRST_PREVIOUS_HASH, sealOf } from './record-seal.js';

/** A hash that was stored elsewhere, for example from a fact `ledger.sealed.v1`. */
export type Anchor = ChainHead;

/**
 * Verifies the chain of each site: no gap, every link equals the previous seal, every seal matches its columns.
 */
export class ChainCheck {
  private siteId: string | null = null;
  private sequence = 0;
  private hash = FIRST_PREVIOUS_HASH;
  private recordedAt = '';
  private readonly heads: Map<string, ChainHead>;
  private readonly anchors: Map<string, Anchor>;
  /** Chains that have begun. */
  chains = 0;

  constructor(heads: readonly ChainHead[], anchors: readonly Anchor[]) {
    this.heads = new Map(heads.map((head) => [head.site_id, head]));
    this.anchors = new Map(anchors.map((anchor) => [`${anchor.site_id} ${anchor.sequence}`, anchor]));
  }

  /** Continues a chain behind a record that was verified before. @param recordedAt Postgres' text */
  resume(siteId: string, { sequence, hash, recordedAt }: ResumedChain): void {
    this.beginChain(siteId);
    this.sequence = Number(sequence);
    this.hash = hash ?? '';
    this.recordedAt = withoutZone(recordedAt);
  }

  /** @returns the fault of the row as the next one, or of the chain that ended before it */
  check(row: LedgerRow): string | null {
    if (row.site_id !== this.siteId) {
      const unfinished = this.endChain();
      if (unfinished !== null) return `before it, ${unfinished}`;
      this.beginChain(row.site_id);
    }
    const problem = this.place(row) ?? this.seal(row) ?? this.anchored(row) ?? this.time(row);
    this.sequence += 1;
    this.hash = row.hash ?? '';
    return problem;
  }

  /** After the last row. @returns the fault of a truncated or missing chain */
  finish(): string | null {
    const unfinished = this.endChain();
    if (unfinished !== null) return unfinished;
    const head = [...this.heads.values()].find(({ sequence }) => sequence !== '0');
    if (head !== undefined) {
      return `the chain of site ${head.site_id} ends with record ${head.sequence}, and there is none of its records`;
    }
    const [anchor] = this.anchors.values();
    if (anchor === undefined) return null;
    return `record ${anchor.sequence} of site ${anchor.site_id} was anchored as ${anchor.hash}, and is missing`;
  }

  private beginChain(siteId: string | null): void {
    this.siteId = siteId;
    this.sequence = 0;
    this.hash = FIRST_PREVIOUS_HASH;
    this.recordedAt = '';
    this.chains += 1;
  }

  private endChain(): string | null {
    if (this.siteId === null) return null;
    const head = this.heads.get(this.siteId);
    this.heads.delete(this.siteId);
    // A chain has a head before its first record; a chain without any record may have none.
    if (head === undefined) return `the chain of site ${this.siteId} has no head`;
    if (head.sequence === String(this.sequence) && head.hash === this.hash) return null;
    return (
      `the chain of site ${this.siteId} must end with record ${head.sequence} and seal ${head.hash}, ` +
      `and ends with record ${this.sequence} and seal ${this.hash}`
    );
  }

  private place(row: LedgerRow): string | null {
    const expected = this.sequence + 1;
    if (row.chain_sequence === String(expected)) return null;
    return `it stands where record ${expected} of the chain must be`;
  }

  private seal(row: LedgerRow): string | null {
    if (row.previous_hash !== this.hash) {
      return `it names ${row.previous_hash} as the seal before it, which is ${this.hash}`;
    }
    const seal = sealOf(this.hash, row);
    return row.hash === seal ? null : `its columns have the seal ${seal}, and it carries ${row.hash}`;
  }

  private anchored(row: LedgerRow): string | null {
    if (this.anchors.size === 0) return null;
    const key = `${row.site_id} ${row.chain_sequence}`;
    const anchor = this.anchors.get(key);
    this.anchors.delete(key);
    if (anchor === undefined || anchor.hash === row.hash) return null;
    return `it was anchored as ${anchor.hash}, and carries ${row.hash}`;
  }

  /** Without their time zone these texts sort like the times: `…:00` before `…:00.12` before `…:00.123`. */
  private time(row: LedgerRow): string | null {
    const before = this.recordedAt;
    this.recordedAt = withoutZone(row.recorded_at);
    return this.recordedAt >= before ? null : `it was recorded at ${row.recorded_at}, before its predecessor`;
  }
}

/** The last verified record of a chain. */
interface ResumedChain {
  readonly sequence: string;
  readonly hash: string | null;
  readonly recordedAt: string;
}

export function withoutZone(time: string | null): string {
  return time === null ? '' : time.slice(0, -'+00'.length);
}
