import type { ClientBase } from 'pg';
import { SumChanges } from '../domain/sum-changes.js';
import {
  countWaiting,
  findStray,
  findWronglyCounted,
  readAssignmentsAfter,
  readExperimentIds,
  readSessionsAfter,
} from '../storage/verification-reads.js';
import { checkSessions } from './check-sessions.js';
import { checkSums } from './check-sums.js';

export interface Verdict {
  readonly experiments: number;
  readonly sessions: number;
  /** Assignments of the last minute whose facts are not folded yet: lag, not an error. */
  readonly unfolded: number;
  /** Sessions whose facts wait for the turn of their site. */
  readonly waiting: number;
  /** The first difference; null when all agree. */
  readonly fault: string | null;
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';
/** Read at once; a session with more is read alone. */
const RECORDS_AT_ONCE = 20_000;

/**
 * Compares every session with its assignment, recomputes every session from its stored facts, and every sum from
 * the sessions, and reports the first difference. Run it inside one repeatable-read transaction, which excludes
 * concurrent folding.
 */
export async function verifyResults(client: ClientBase): Promise<Verdict> {
  const experiments = await readExperimentIds(client);
  const counted = {
    experiments: experiments.length,
    sessions: 0,
    unfolded: 0,
    waiting: await countWaiting(client),
  };
  const assigned = await checkAssignments(client);
  const found = assigned.fault ?? (await findStray(client));
  if (found !== null) return { ...counted, fault: found };
  for (const experimentId of experiments) {
    const { sessions, fault } = await verifyExperiment(client, experimentId);
    counted.sessions += sessions;
    if (fault !== null) return { ...counted, fault: `experiment ${experimentId}: ${fault}` };
  }
  return { ...counted, unfolded: assigned.unfolded, fault: null };
}

interface Assigned {
  readonly unfolded: number;
  readonly fault: string | null;
}

async function checkAssignments(client: ClientBase): Promise<Assigned> {
  let unfolded = 0;
  for (let after: string | undefined = FIRST_ID; after !== undefined;) {
    const page = await readAssignmentsAfter(client, after);
    for (const { assignmentId, isFolded, isLate, differs } of page) {
      if (isFolded && differs)
        return { unfolded, fault: `session ${assignmentId} differs from its assignment` };
      if (!isFolded && isLate) return { unfolded, fault: `assignment ${assignmentId} counts in no session` };
      if (!isFolded) unfolded += 1;
    }
    after = page.at(-1)?.assignmentId;
  }
  return { unfolded, fault: null };
}

interface Checked {
  readonly sessions: number;
  readonly fault: string | null;
}

async function verifyExperiment(client: ClientBase, experimentId: string): Promise<Checked> {
  const wanted = new SumChanges();
  let sessions = 0;
  for (let after: string | undefined = FIRST_ID; after !== undefined;) {
    const page = await readSessionsAfter(client, experimentId, after);
    for (const ids of inGroups(page)) {
      const fault = await checkSessions(client, ids, wanted);
      if (fault !== null) return { sessions, fault };
    }
    sessions += page.length;
    after = page.at(-1)?.assignmentId;
  }
  const fault =
    (await checkSums(client, experimentId, wanted)) ?? (await findWronglyCounted(client, experimentId));
  return { sessions, fault };
}

function inGroups(
  page: readonly { readonly assignmentId: string; readonly records: number }[],
): readonly (readonly string[])[] {
  const groups: string[][] = [];
  let sum = Infinity;
  for (const { assignmentId, records } of page) {
    sum += records;
    if (sum > RECORDS_AT_ONCE) {
      groups.push([]);
      sum = records;
    }
    groups.at(-1)?.push(assignmentId);
  }
  return groups;
}
