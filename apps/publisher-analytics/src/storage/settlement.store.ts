import { appendToOutbox, arrayLiteral } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import type { KnownSettlement, ToldState } from '../domain/decide-settlement.js';
import {
  type Decided,
  type Decision,
  decideSettlements,
  type OfferedSettlement,
} from '../domain/decide-settlements.js';
import { SettlementFacts } from '../domain/facts.js';
import { foldSettlements, keyOf, referenceKey, type SettlementChange } from '../domain/fold-facts.js';
import { toMilliseconds } from '../domain/instants.js';
import { ReportChanges } from '../domain/report-changes.js';
import { arraysOf } from './columns.js';
import { readReferences, readSettled, type ReferenceName } from './reference-reads.js';
import { addToReports } from './report-writes.js';
import {
  INSERT_STATES,
  SETTLEMENT_COLUMNS,
  SETTLEMENT_TABLE,
  type SettlementRecord,
  STATE_COLUMNS,
  STATE_TABLE,
  type StateRecord,
  toRecord,
  toToldState,
  toVersion,
  UPSERT_SETTLEMENTS,
} from './settlement-rows.js';
import type { SiteScope, SiteScopes } from './site-scope.js';
import { micro } from './columns.js';

export type Kept = Decision | 'erased';

/** Records settlements in the caller's transaction. */
export class SettlementStore {
  constructor(private readonly scopes: SiteScopes) {}

  /** Locks the site. */
  async begin(client: ClientBase, siteId: string): Promise<SettlementRecording> {
    const scope = await this.scopes.open(client, [siteId]);
    return new SettlementRecording(client, siteId, scope, await now(client));
  }
}

/** The changes of one transaction for one site. */
export class SettlementRecording {
  private readonly changes: ReportChanges;
  private readonly facts: SettlementFacts;

  constructor(
    private readonly client: ClientBase,
    private readonly siteId: string,
    private readonly scope: SiteScope,
    private readonly seenAt: string,
  ) {
    this.changes = new ReportChanges(scope.calendarOf);
    this.facts = new SettlementFacts(siteId, seenAt);
  }

  /**
   * Stores new states in order; one call at a time.
   * @returns the outcome of each
   * @throws Postgres' error; the same states may be offered again
   */
  async record(offered: readonly OfferedSettlement[]): Promise<readonly Kept[]> {
    const { client, siteId, scope, seenAt } = this;
    if (scope.erased.has(siteId)) return offered.map(() => 'erased');
    if (offered.length === 0) return [];
    const known = await readKnown(client, offered);
    const decided = decideSettlements(offered, known, seenAt);
    const names = referencesOf(decided.changes);
    const references = await readReferences(client, [...names.values()]);
    const isSettled = isNamedIn(decided.changes);
    // A click changes its standing with its first and its last settlement.
    const left = [...names].filter(([key]) => !isSettled(key) && references.get(key)?.first !== undefined);
    const [, others] = await Promise.all([
      // The column would round up what facts cut off.
      writeStates(client, decided, toMilliseconds(seenAt)),
      readSettled(
        client,
        left.map(([, name]) => name),
      ),
    ]);
    foldSettlements(this.changes, decided.changes, references, (key) => isSettled(key) || others.has(key));
    this.facts.add(decided.counted);
    return decided.kept;
  }

  /**
   * Adds the recorded changes to the reports, and their facts to the outbox; wake the relay after the
   * transaction.
   */
  async finish(): Promise<void> {
    await Promise.all([
      addToReports(this.client, this.changes),
      appendToOutbox(this.client, this.facts.rows()),
    ]);
  }
}

/** By the primary key: a settlement's history is never read as a whole. */
const STATES_AT = `
  select ${STATE_COLUMNS} from unnest($1::uuid[], $2::timestamptz[]) as asked (settlement_id, updated_at)
  join settlement_states s on s.settlement_id = asked.settlement_id and s.updated_at = asked.updated_at`;

async function now(client: ClientBase): Promise<string> {
  const { rows } = await client.query<{ now: string }>(`select ${micro('clock_timestamp()')} as now`);
  return rows[0]?.now ?? '';
}

/** The current states, and those that an offered one repeats or contradicts. */
async function readKnown(
  client: ClientBase,
  offered: readonly OfferedSettlement[],
): Promise<ReadonlyMap<string, KnownSettlement>> {
  const ids = new Set(offered.map(({ version }) => version.settlementId));
  const current = await client.query<SettlementRecord>(
    `select ${SETTLEMENT_COLUMNS} from settlements s where s.settlement_id = any($1)`,
    [arrayLiteral([...ids])],
  );
  const known = new Map(
    current.rows.map((row) => {
      const version = toVersion(row);
      return [
        row.settlement_id,
        { current: version, states: new Map<string, ToldState>([[version.updatedAt, version]]) },
      ] as const;
    }),
  );
  const asked = new Map(
    offered
      .filter(({ version: { settlementId }, isChangeTimed }) => isChangeTimed && known.has(settlementId))
      .map(({ version: { settlementId, updatedAt } }) => [
        `${settlementId} ${updatedAt}`,
        [settlementId, updatedAt],
      ]),
  );
  if (asked.size === 0) return known;
  const former = await client.query<StateRecord>(
    STATES_AT,
    [0, 1].map((column) => arrayLiteral([...asked.values()].map((pair) => pair[column] ?? null))),
  );
  for (const row of former.rows) known.get(row.settlement_id)?.states.set(row.updated_at, toToldState(row));
  return known;
}

/** Those of the former and the new current states, by key. */
function referencesOf(changes: readonly SettlementChange[]): ReadonlyMap<string, ReferenceName> {
  const names = new Map<string, ReferenceName>();
  for (const { before, after } of changes) {
    for (const version of [before, after]) {
      if (version === undefined || version.referenceHash === null) continue;
      const { referenceHash: hash, provider } = version;
      names.set(referenceKey(hash, provider), { hash, provider });
    }
  }
  return names;
}

/** Whether one of the changed settlements names a reference now. */
function isNamedIn(changes: readonly SettlementChange[]): (key: string) => boolean {
  const keys = new Set(changes.map(({ after }) => keyOf(after)));
  return (key) => keys.has(key);
}

/** Settlements in the order of ids, which prevents deadlocks. */
async function writeStates(
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
