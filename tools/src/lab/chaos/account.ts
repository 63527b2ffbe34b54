import { eventually } from '@truetally/processes';
import { type LaunchedProduct } from '@truetally/testing-product';
import pg from 'pg';
import { type Lane, type StoredIn } from './lanes.js';
import { type Answers, BUSY, type Failure, type Load, UNDER_WAY } from './load.js';

/** Comparison of all answers that clients got with the tables, and the failures. */
export interface Account {
  /** Distinct items in successful answers. */
  readonly accepted: number;
  readonly stored: number;
  /** Stored more than once, reported as new more than once, or with two ids. */
  readonly duplicated: number;
  readonly lost: number;
  readonly failures: ReadonlyMap<Failure, number>;
  readonly recoveryMs: number;
  /** Answers that no client may get, failures that this scenario must not cause, wrong sums, malformed facts. */
  readonly faults: readonly string[];
}

const LATER = { timeoutMs: 120_000 };

/** Compares clients' answers with the tables, after facts have had time to arrive. */
export async function accountOf(
  product: LaunchedProduct,
  databaseUrl: string,
  load: Load,
  mayFail: readonly Failure[],
): Promise<Account> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const sums = { accepted: 0, stored: 0, duplicated: 0, lost: 0 };
    const faults = [...load.unexpected, ...unallowed(load.failures, mayFail)];
    for (const [lane, told] of load.told) {
      const rows = await rowsOf(client, product, lane, [...told.keys()]);
      const missing = [...told.keys()].filter((id) => !rows.has(id));
      const doubled = [...told].filter(([id, answers]) => isDoubled(answers, rows.get(id) ?? 0));
      sums.accepted += told.size;
      sums.stored += rows.size;
      sums.lost += missing.length;
      sums.duplicated += doubled.length;
      if (told.size === 0) faults.push(`${lane.name}: nothing was accepted`);
      if (missing.length > 0) faults.push(`${lane.name}: ${missing.slice(0, 3).join(', ')} lost`);
      if (doubled.length > 0) faults.push(`${lane.name}: ${String(doubled[0]?.[0])} doubled`);
    }
    return { ...sums, failures: load.failures, recoveryMs: load.slowestRecoveryMs, faults };
  } finally {
    await client.end();
  }
}

function unallowed(failures: Load['failures'], mayFail: readonly Failure[]): readonly string[] {
  const allowed = [BUSY, UNDER_WAY, ...mayFail];
  return [...failures]
    .filter(([failure]) => !allowed.includes(failure))
    .map(([failure, count]) => `${count} × ${failure}`);
}

function isDoubled({ identities, timesNew }: Answers, rows: number): boolean {
  return rows > 1 || identities.size > 1 || timesNew > 1;
}

async function rowsOf(
  client: pg.Client,
  product: LaunchedProduct,
  { stored }: Lane,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const read = (): Promise<ReadonlyMap<string, number>> => countRows(client, product, stored, ids);
  if (!stored.isLater) return read();
  let found = await read();
  await eventually(async () => (found = await read()).size >= ids.length, LATER).catch(() => undefined);
  return found;
}

/** How many rows each of these items has; those without are left out. */
export async function countRows(
  client: pg.Client,
  product: LaunchedProduct,
  { service, table, column }: StoredIn,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<{ id: string; n: number }>(
    `select ${column}::text as id, count(*)::int as n from ${product.schema(service)}.${table}
     where ${column}::text = any($1) group by 1`,
    [ids],
  );
  return new Map(rows.map(({ id, n }) => [id, n]));
}

/** One line, as `npm run chaos` prints it. */
export function described(name: string, account: Account): string {
  const { accepted, stored, duplicated, lost, recoveryMs, faults } = account;
  const failures = failuresOf(account);
  const line = `${name}: accepted ${accepted}, stored ${stored}, duplicated ${duplicated}, lost ${lost}, errors ${failures}, recovery ${seconds(recoveryMs)}`;
  return faults.length === 0 ? line : `${line}; FAILED: ${faults.join('; ')}`;
}

/** The same text as the row of the table in docs/reliability.md. */
export function asRow(name: string, what: string, account: Account): string {
  const { accepted, stored, duplicated, lost, recoveryMs } = account;
  const cells = [
    `\`${name}\``,
    what,
    accepted,
    stored,
    duplicated,
    lost,
    failuresOf(account),
    seconds(recoveryMs),
  ];
  return `| ${cells.join(' | ')} |`;
}

function failuresOf({ failures }: Account): string {
  return failures.size === 0
    ? 'none'
    : [...failures].map(([failure, count]) => `${count} × ${failure}`).join(', ');
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
