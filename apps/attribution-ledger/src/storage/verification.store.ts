import { type BrokenRecord, FIRST_PREVIOUS_HASH } from '@truetally/contracts/attribution';
import { inTransaction } from '@truetally/persistence';
import type { Pool } from 'pg';
import type { Run } from '../domain/check-piece.js';
import { toMilliseconds } from '../domain/instants.js';
import {
  afterVerification,
  NEVER_VERIFIED,
  type Verification,
  type VerifiedChain,
} from '../domain/verified-chain.js';

/** When a chain is verified without being asked. */
export interface VerificationTimes {
  /** After its first records were found. */
  readonly firstAfterSeconds: number;
  /** After a verification, for the records that were added. */
  readonly newerAfterSeconds: number;
  /** After a whole one, for all of them. */
  readonly wholeAfterSeconds: number;
}

/** A chain that this replica verifies until the lease ends. */
export interface DueChain {
  readonly siteId: string;
  /** Under way, or undefined: it begins. */
  readonly run: Run | undefined;
  readonly isWhole: boolean;
  readonly sound: VerifiedChain['sound'];
}

const LEASE_SECONDS = 60;
const SITES_AT_ONCE = 1_000;

const NEW_CHAINS = `
  insert into chain_verifications (site_id, newer_due_at, whole_due_at)
  select site_id, now() + make_interval(secs => $1), now() + make_interval(secs => $1) from chain_heads head
  where chain_sequence > 0 and not exists (select from chain_verifications v where v.site_id = head.site_id)
  order by site_id limit ${SITES_AT_ONCE} on conflict do nothing`;
const TAKE_DUE = `
  with due as (
    select v.site_id, v.run is null as is_new, v.whole_due_at <= now() as is_whole
    from chain_verifications v join chain_heads head using (site_id)
    where coalesce(v.leased_until <= now(), true) and (v.run is not null or v.whole_due_at <= now()
      or (v.newer_due_at <= now() and head.chain_sequence > v.sound_sequence))
    order by v.newer_due_at limit 1 for update of v skip locked
  )
  update chain_verifications v
  set leased_until = now() + interval '${LEASE_SECONDS} seconds',
    is_whole_run = case when due.is_new then due.is_whole else v.is_whole_run end
  from due where v.site_id = due.site_id
  returning v.site_id, v.run, v.is_whole_run, v.sound_sequence::text, v.sound_hash`;
const READ = `
  select v.last, v.broken, coalesce(v.sound_sequence, 0)::text as sound_sequence,
    coalesce(v.sound_hash, '${FIRST_PREVIOUS_HASH}') as sound_hash,
    head.chain_sequence::text as sequence, head.hash, head.recorded_at::text
  from (select $1::uuid as site_id) asked
  left join chain_verifications v using (site_id)
  left join chain_heads head using (site_id)`;

interface KnownRow {
  readonly last: Verification | null;
  readonly broken: BrokenRecord | null;
  readonly sound_sequence: string;
  readonly sound_hash: string;
  readonly sequence: string | null;
  readonly hash: string | null;
  readonly recorded_at: string | null;
}

/** A chain's newest record; null without any. */
export interface NewestRecord {
  readonly sequence: string;
  readonly hash: string;
  readonly recorded_at: string;
}

/** Keeps what was verified of each chain, and when it is verified again. */
export class VerificationStore {
  constructor(private readonly pool: Pool) {}

  async read(siteId: string): Promise<VerifiedChain & { readonly head: NewestRecord | null }> {
    const { rows } = await this.pool.query<KnownRow>({ name: 'read-verified', text: READ, values: [siteId] });
    const [row] = rows;
    if (row === undefined) return { ...NEVER_VERIFIED, head: null };
    const { last, broken, sound_sequence, sound_hash, sequence, hash, recorded_at } = row;
    const isEmpty = sequence === null || sequence === '0' || hash === null || recorded_at === null;
    return {
      last,
      broken,
      sound: { sequence: sound_sequence, hash: sound_hash },
      head: isEmpty ? null : { sequence, hash, recorded_at: toMilliseconds(recorded_at) },
    };
  }

  /** Keeps the result of a run that has ended. */
  async keep(siteId: string, run: Run, broken: BrokenRecord | null): Promise<void> {
    await inTransaction(this.pool, async (client) => {
      await client.query('insert into chain_verifications (site_id) values ($1) on conflict do nothing', [
        siteId,
      ]);
      const { rows } = await client.query<KnownRow & { readonly now: string }>(
        `select last, broken, sound_sequence::text, sound_hash, now()::timestamptz(3)::text as now
         from chain_verifications where site_id = $1 for update`,
        [siteId],
      );
      const [row] = rows;
      if (row === undefined) return;
      const known = { ...row, sound: { sequence: row.sound_sequence, hash: row.sound_hash } };
      const last: Verification = {
        from_sequence: run.from,
        to_sequence: run.place.sequence,
        to_hash: run.place.hash ?? FIRST_PREVIOUS_HASH,
        started_at: run.startedAt,
        finished_at: toMilliseconds(row.now),
      };
      const after = afterVerification(known, last, broken);
      await client.query(
        `update chain_verifications set last = $2, broken = $3, sound_sequence = $4, sound_hash = $5 where site_id = $1`,
        [siteId, after.last, after.broken, after.sound.sequence, after.sound.hash],
      );
    });
  }

  /** Chains that have begun since become due together, in a while. */
  async addNewChains({ firstAfterSeconds }: VerificationTimes): Promise<void> {
    await this.pool.query(NEW_CHAINS, [firstAfterSeconds]);
  }

  /** A chain to verify now, which no other replica verifies; undefined when none is due. */
  async takeDue(): Promise<DueChain | undefined> {
    const { rows } = await this.pool.query<DueRow>(TAKE_DUE);
    const [row] = rows;
    if (row === undefined) return undefined;
    const sound = { sequence: row.sound_sequence, hash: row.sound_hash };
    return { siteId: row.site_id, run: row.run ?? undefined, isWhole: row.is_whole_run, sound };
  }

  /** Another replica continues from here when this one is killed. */
  async saveProgress(siteId: string, run: Run): Promise<void> {
    await this.pool.query(
      `update chain_verifications set run = $2, leased_until = now() + interval '${LEASE_SECONDS} seconds'
       where site_id = $1`,
      [siteId, run],
    );
  }

  /** The run has ended. */
  async planNext(siteId: string, isWhole: boolean, times: VerificationTimes): Promise<void> {
    await this.pool.query(
      `update chain_verifications set run = null, leased_until = null, newer_due_at = now() + make_interval(secs => $2),
         whole_due_at = case when $3 then now() + make_interval(secs => $4) else whole_due_at end
       where site_id = $1`,
      [siteId, times.newerAfterSeconds, isWhole, times.wholeAfterSeconds],
    );
  }

  /** Chains with a broken record. */
  async countBroken(): Promise<number> {
    const { rows } = await this.pool.query<{ readonly count: number }>(
      'select count(*)::integer as count from chain_verifications where broken is not null',
    );
    return rows[0]?.count ?? 0;
  }
}

interface DueRow {
  readonly site_id: string;
  readonly run: Run | null;
  readonly is_whole_run: boolean;
  readonly sound_sequence: string;
  readonly sound_hash: string;
}
