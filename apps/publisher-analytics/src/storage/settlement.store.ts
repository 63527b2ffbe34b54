import { appendToOutbox, arrayLiteral } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import {
  decideSettlement,
  type KnownSettlement,
  type SettlementVersion,
  type ToldState,
} from '../domain/decide-settlement.js';
import { type CountedState, SettlementFacts } from '../domain/facts.js';
import { foldSettlements, keyOf, referenceKey, type SettlementChange } from '../domain/fold-facts.js';
import { type ClickFact, ReportChanges } from '../domain/report-changes.js';
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

/** An offered state of a settlement, and whether its network reports times of change. */
export interface OfferedSettlement {
  readonly version: SettlementVersion;
  readonly isChangeTimed: boolean;
}

export type Kept = 'kept' | 'contradicts' | 'erased';

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
    const known = await readKnown(
      client,
      offered.map(({ version }) => version.settlementId),
    );
    const decided = decideAll(offered, known, seenAt);
    const names = referencesOf(decided.changes);
    const references = await readReferences(client, [...names.values()], isAlone);
    const isSettled = isNamedIn(decided.changes);
    const left = [...names].filter(([key]) => !isSettled(key) && isAlone(references.get(key)?.clicks ?? []));
    await writeStates(client, decided, seenAt);
    const others = await readSettled(
      client,
      left.map(([, name]) => name),
    );
    foldSettlements(this.changes, decided.changes, references, (key) => isSettled(key) || others.has(key));
    this.facts.add(decided.counted);
    return decided.kept;
  }

  /**
   * Adds the recorded changes to the reports, and their facts to the outbox; wake the relay after the
   * transaction.
   */
  async finish(): Promise<void> {
    await addToReports(this.client, this.changes);
    await appendToOutbox(this.client, this.facts.rows());
  }
}

interface Decided {
  readonly kept: readonly Kept[];
  /** New states that do not count, or no longer, in the order of their decisions. */
  readonly states: readonly SettlementVersion[];
  readonly counted: readonly CountedState[];
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
  const counted: CountedState[] = [];
  const results = offered.map(({ version, isChangeTimed }): Kept => {
    const before = known.get(version.settlementId);
    const verdict = decideSettlement(version, before, { isChangeTimed, seenAt });
    if (verdict.kind === 'contradicts') return 'contradicts';
    if (verdict.kind === 'known') return 'kept';
    const current = verdict.kind === 'counts' ? verdict.version : (before?.current ?? verdict.version);
    if (verdict.kind === 'counts')
      counted.push({ version: current, previousStatus: before?.current.status ?? null });
    states.push(verdict.version);
    const toldBefore = new Map(before?.states).set(verdict.version.updatedAt, verdict.version);
    known.set(version.settlementId, { current, states: toldBefore });
    return 'kept';
  });
  const changes = [...new Set(counted.map(({ version }) => version.settlementId))].flatMap((id) => {
    const after = known.get(id)?.current;
    return after === undefined ? [] : [{ before: kept.get(id)?.current, after }];
  });
  const current = new Set(changes.map(({ after }) => after));
  return { kept: results, states: states.filter((state) => !current.has(state)), counted, changes };
}

const OTHER_STATES = `select ${STATE_COLUMNS} from settlement_states s where s.settlement_id = any($1)`;

async function now(client: ClientBase): Promise<string> {
  const { rows } = await client.query<{ now: string }>(`select ${micro('clock_timestamp()')} as now`);
  return rows[0]?.now ?? '';
}

async function readKnown(
  client: ClientBase,
  settlementIds: readonly string[],
): Promise<ReadonlyMap<string, KnownSettlement>> {
  const current = await client.query<SettlementRecord>(
    `select ${SETTLEMENT_COLUMNS} from settlements s where s.settlement_id = any($1)`,
    [arrayLiteral([...new Set(settlementIds)])],
  );
  if (current.rows.length === 0) return new Map();
  const ids = current.rows.map((row) => row.settlement_id);
  const former = await client.query<StateRecord>(OTHER_STATES, [arrayLiteral(ids)]);
  const known = new Map(
    current.rows.map((row) => {
      const version = toVersion(row);
      return [
        row.settlement_id,
        { current: version, states: new Map<string, ToldState>([[version.updatedAt, version]]) },
      ] as const;
    }),
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

/** A click changes its standing with its first and its last settlement. */
function isAlone(clicks: readonly ClickFact[]): boolean {
  return clicks.length === 1;
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
