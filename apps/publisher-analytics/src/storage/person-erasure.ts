import { TransientError } from '@truetally/messaging';
import { eraseSetAsideNaming, inTransaction, stepOnce } from '@truetally/persistence';
import { erasureReport, type ErasesPeople } from '@truetally/service';
import type { ClientBase, Pool } from 'pg';
import { isParked } from './parked-clicks.js';
import { lockSite } from './site-scope.js';

/** Longer than a step of an import, behind which it waits. */
const LOCK_TIMEOUT_MS = 2_000;
/** A reference stands in the partner's URL: anybody may repeat it without end. */
const ROWS_AT_A_TIME = 5_000;
/** Behind them the step is tried again: an asker waits for an answer only so long. */
const PIECES_AT_A_TIME = 10;

/**
 * Takes the references of a person's clicks, which networks know; nothing else here leads to a person. A random value stays in place of
 * each, so that clicks and settlements are joined as before, and no sum changes. Those that are parked are counted first, as all that
 * was told before the erasure. Between two pieces a reference has two names: what is told of its site waits until the last one.
 * @throws TransientError as long as one is parked, or rows are left for another try; Postgres' error when the site was not free in time
 */
export function referenceErasure(pool: Pool, rowsAtATime = ROWS_AT_A_TIME): ErasesPeople {
  return {
    // The cursor is the asker's place among the person's subjects, so that it cannot be ours among the rows.
    step: async ({ name, siteId, subjects: { eventIds }, cursor }) => {
      const report = await stepOnce(pool, { name, cursor }, async (client) => {
        await lockInTime(client, siteId);
        const found = await begin(client, siteId, eventIds);
        return erasureReport({ cursor: null, found, done: found });
      });
      for (let piece = 0; await renameSome(pool, siteId, rowsAtATime); piece += 1) {
        if (piece === PIECES_AT_A_TIME)
          throw new TransientError('References of the person are still being erased.');
      }
      return report;
    },
  };
}

/** A transaction of its own, between which others have the site. @returns whether more are left */
function renameSome(pool: Pool, siteId: string, rowsAtATime: number): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    await lockInTime(client, siteId);
    const { rows } = await client.query<{ are_left: boolean }>(
      'select erase_some_references($1, $2) as are_left',
      [siteId, rowsAtATime],
    );
    return rows[0]?.are_left === true;
  });
}

async function lockInTime(client: ClientBase, siteId: string): Promise<void> {
  await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
  await lockSite(client, siteId);
}

/** @returns how many references and facts go */
async function begin(client: ClientBase, siteId: string, eventIds: readonly string[]): Promise<number> {
  if (await isParked(client, eventIds)) throw new TransientError('A click of the person is not counted yet.');
  const { rows } = await client.query<{ erased: number }>(
    'select begin_reference_erasure($1, $2)::integer as erased',
    [siteId, eventIds],
  );
  const facts = await eraseSetAsideNaming(client, siteId, eventIds);
  return (rows[0]?.erased ?? 0) + facts;
}
