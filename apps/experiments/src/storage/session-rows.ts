import type { AssignedSessionFact } from '@truetally/contracts/facts';
import type { ClientBase } from 'pg';
import { type Account, ACCOUNT_FIELDS } from '../domain/account.js';
import { columnsOf, numericParameters } from './account-columns.js';

/** @returns the assignments of new sessions */
export async function insertSessions(
  client: ClientBase,
  assigned: readonly AssignedSessionFact[],
): Promise<readonly string[]> {
  if (assigned.length === 0) return [];
  const { rows } = await client.query<{ assignment_id: string }>({
    name: 'insert-sessions',
    text: `insert into session_results (assignment_id, experiment_id, site_id, variant, provider, device, assigned_at)
      select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])
      on conflict (assignment_id) do nothing returning assignment_id`,
    values: [
      assigned.map((fact) => fact.assignment_id),
      assigned.map((fact) => fact.experiment_id),
      assigned.map((fact) => fact.site_id),
      assigned.map((fact) => fact.variant),
      assigned.map((fact) => fact.provider),
      assigned.map((fact) => fact.device),
      assigned.map((fact) => fact.assigned_at),
    ],
  });
  return rows.map((row) => row.assignment_id);
}

const SET_ACCOUNT = ACCOUNT_FIELDS.map((field) => `${field} = given.${field}`).join(', ');
const STORE_ACCOUNTS = `
  update session_results s set ${SET_ACCOUNT}
  from unnest($1::uuid[], ${numericParameters(ACCOUNT_FIELDS, 2)}) as given (assignment_id, ${ACCOUNT_FIELDS.join(', ')})
  where s.assignment_id = given.assignment_id`;

/** Stores the new totals of sessions; one without orders keeps its inserted row. */
export async function storeAccounts(
  client: ClientBase,
  accounts: ReadonlyMap<string, Account>,
): Promise<void> {
  if (accounts.size === 0) return;
  await client.query({
    name: 'store-accounts',
    text: STORE_ACCOUNTS,
    values: [[...accounts.keys()], ...columnsOf(ACCOUNT_FIELDS, [...accounts.values()])],
  });
}

/** The change of a session's totals in an hour. */
export interface SessionHour {
  readonly assignmentId: string;
  readonly siteId: string;
  readonly hourMs: number;
  readonly change: Account;
}

const ADD_TO_SESSION_HOURS = `
  insert into session_hours (assignment_id, hour, site_id, ${ACCOUNT_FIELDS.join(', ')})
  select * from unnest($1::uuid[], $2::timestamptz[], $3::uuid[], ${numericParameters(ACCOUNT_FIELDS, 4)})
  on conflict (assignment_id, hour) do update
    set ${ACCOUNT_FIELDS.map((field) => `${field} = session_hours.${field} + excluded.${field}`).join(', ')}`;

export async function addToSessionHours(client: ClientBase, hours: readonly SessionHour[]): Promise<void> {
  if (hours.length === 0) return;
  await client.query({
    name: 'add-to-session-hours',
    text: ADD_TO_SESSION_HOURS,
    values: [
      hours.map(({ assignmentId }) => assignmentId),
      hours.map(({ hourMs }) => new Date(hourMs).toISOString()),
      hours.map(({ siteId }) => siteId),
      ...columnsOf(
        ACCOUNT_FIELDS,
        hours.map(({ change }) => change),
      ),
    ],
  });
}
