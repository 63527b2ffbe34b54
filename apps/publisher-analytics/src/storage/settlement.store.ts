import { appendToOutbox, arrayLiteral } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import {
  decideSettlement,
  type KnownSettlement,
  type SettlementVersion,
} from '../domain/decide-settlement.js';
import { settlementFact } from '../domain/facts.js';
import { foldSettlements, keyOf, referenceKey, type SettlementChange } from '../domain/fold-facts.js';
import { ReportChanges } from '../domain/report-changes.js';
import { arraysOf } from './columns.js';
import { readReferences, readSettled, type ReferenceName } from './reference-reads.js';
import { addToReports } from './report-writes.js';
import {
  INSERT_STATES,
  SETTLEMENT_COLUMNS,
  SETTLEMENT_TABLE,
  type SettlementRecord,
  STATE_TABLE,
  toRecord,
  toVersion,
  UPSERT_SETTLEMENTS,
} from './settlement-rows.js';
import type { SiteScopes } from './site-scope.js';
import { micro } from './columns.js';

/** An offered state of a settlement, and whether its network reports times of change. */
export interface OfferedSettlement {
  readonly version: SettlementVersion;
  readonly isChangeTimed: boolean;
}

export type Kept = 'kept' | 'contradicts' | 'erased';

/** Settlements of one site, in the caller's transaction. */
export class SettlementStore {
  constructor(private readonly scopes: SiteScopes) {}

  /**
   * Stores new states in order, with their changes to the reports and their facts.
   * @returns the outcome of each
   * @throws Postgres' error; the same states may be offered again
   */
  async record(
    client: ClientBase,
    siteId: string,
    offered: readonly OfferedSettlement[],
  ): Promise<readonly Kept[]> {
    if (offered.length === 0) return [];
    const { erased, calendarOf } = await this.scopes.open(client, [siteId]);
    if (erased.has(siteId)) return offered.map(() => 'erased');
    const seenAt = await now(client);
    const known = await readKnown(
      client,
      offered.map(({ version }) => version.settlementId),
    );
    const decided = decideAll(offered, known, seenAt);
    const changes = new ReportChanges(calendarOf);
    const names = referencesOf(decided.changes);
    const references = await readReferences(client, names);
    await insertStates(client, decided, seenAt);
    const alone = names.filter(({ hash, provider }) => {
      return references.get(referenceKey(hash, provider))?.clicks.length === 1;
    });
    const settled = await readSettled(client, alone);
    foldSettlements(changes, decided.changes, references, (key) => settled.has(key));
    await addToReports(client, changes);
    await appendToOutbox(
      client,
      decided.counted.map(({ version, before }) => settlementFact(version, before?.status ?? null, seenAt)),
    );
    return decided.kept;
  }
}

interface Decided {
  readonly kept: readonly Kept[];
  /** New states, in the order of their decisions. */
  readonly states: readonly SettlementVersion[];
  readonly counted: readonly {
    readonly version: SettlementVersion;
    readonly before: SettlementVersion | undefined;
  }[];
  /** One per settlement: from the former to the new current state. */
  readonly changes: readonly SettlementChange[];
}

function decideAll(
  offered: readonly OfferedSettlement[],
  kept: ReadonlyMap<string, KnownSettlement>,
  seenAt: string,
): Decided {
  const known = new Map(kept);
  const states: SettlementVersion[] = [];
  const counted: { version: SettlementVersion; before: SettlementVersion | undefined }[] = [];
  const results = offered.map(({ version, isChangeTimed }): Kept => {
    const before = known.get(version.settlementId);
    const verdict = decideSettlement(version, before, { isChangeTimed, seenAt });
    if (verdict.kind === 'contradicts') return 'contradicts';
    if (verdict.kind === 'known') return 'kept';
    const { updatedAt, fingerprint } = verdict.version;
    const current = verdict.kind === 'counts' ? verdict.version : (before?.current ?? verdict.version);
    if (verdict.kind === 'counts') counted.push({ version: current, before: before?.current });
    states.push(verdict.version);
    const fingerprints = new Map(before?.fingerprints).set(updatedAt, fingerprint);
    known.set(version.settlementId, { current, fingerprints });
    return 'kept';
  });
  const changes = [...new Set(counted.map(({ version }) => version.settlementId))].flatMap((id) => {
    const after = known.get(id)?.current;
    return after === undefined ? [] : [{ before: kept.get(id)?.current, after }];
  });
  return { kept: results, states, counted, changes };
}

async function now(client: ClientBase): Promise<string> {
  const { rows } = await client.query<{ now: string }>(`select ${micro('clock_timestamp()')} as now`);
  return rows[0]?.now ?? '';
}

async function readKnown(
  client: ClientBase,
  settlementIds: readonly string[],
): Promise<ReadonlyMap<string, KnownSettlement>> {
  const ids = [...new Set(settlementIds)];
  const current = await client.query<SettlementRecord>(
    `select ${SETTLEMENT_COLUMNS} from settlements s where s.settlement_id = any($1)`,
    [arrayLiteral(ids)],
  );
  if (current.rows.length === 0) return new Map();
  const states = await client.query<{ settlement_id: string; updated_at: string; fingerprint: string }>(
    `select settlement_id, ${micro('updated_at')} as updated_at, fingerprint from settlement_states
     where settlement_id = any($1)`,
    [arrayLiteral(current.rows.map((row) => row.settlement_id))],
  );
  const fingerprints = new Map<string, Map<string, string>>();
  for (const { settlement_id, updated_at, fingerprint } of states.rows) {
    const known = fingerprints.get(settlement_id) ?? new Map<string, string>();
    fingerprints.set(settlement_id, known.set(updated_at, fingerprint));
  }
  return new Map(
    current.rows.map((row) => [
      row.settlement_id,
      {
        current: toVersion(row),
        fingerprints: fingerprints.get(row.settlement_id) ?? new Map<string, string>(),
      },
    ]),
  );
}

/** Of the former and the new current states. */
function referencesOf(changes: readonly SettlementChange[]): readonly ReferenceName[] {
  const names = new Map<string, ReferenceName>();
  for (const { before, after } of changes) {
    for (const version of [before, after]) {
      const key = version === undefined ? undefined : keyOf(version);
      const hash = version?.referenceHash;
      if (key === undefined || version === undefined || hash === null || hash === undefined) continue;
      names.set(key, { hash, provider: version.provider });
    }
  }
  return [...names.values()];
}

/** Settlements in the order of ids, which prevents deadlocks. */
async function insertStates(
  client: ClientBase,
  { states, changes }: Decided,
  recordedAt: string,
): Promise<void> {
  if (changes.length > 0) {
    const current = changes
      .map(({ after }) => toRecord(after, recordedAt))
      .sort((left, right) => (left.settlement_id < right.settlement_id ? -1 : 1));
    await client.query(UPSERT_SETTLEMENTS, arraysOf(SETTLEMENT_TABLE, current));
  }
  if (states.length === 0) return;
  const records = states.map((state) => toRecord(state, recordedAt));
  await client.query(INSERT_STATES, arraysOf(STATE_TABLE, records));
}
