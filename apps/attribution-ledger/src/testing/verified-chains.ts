import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { Pool } from 'pg';
import { aCancellation, anAdjustment, aPurchase, itemOf } from './commands.js';
import type { Replica } from './ledger-database.js';

/** A chain of two orders and a third one, eight records. */
export async function aChain(replica: Replica): Promise<string> {
  const siteId = randomUUID();
  const [one, other, third] = ['bestellung-ü', '注文', 'third'];
  const day = (n: number) => ({ occurredAt: `2026-02-0${n}T09:30:00.000Z` });
  const commands = [
    aPurchase({ orderId: one }),
    aPurchase({ orderId: other, currency: 'JPY' }),
    anAdjustment({ orderId: one, ...day(1) }),
    aPurchase({ orderId: third, currency: 'KWD' }),
    anAdjustment({ orderId: one, ...day(2) }),
    anAdjustment({ orderId: other, currency: 'JPY', ...day(2) }),
    anAdjustment({ orderId: one, ...day(3) }),
    aCancellation({ orderId: third, currency: 'KWD', ...day(4) }),
  ];
  for (const command of commands) {
    const [outcome] = (await replica.ledger.record([itemOf(siteId, command)])).outcomes;
    expect(outcome?.kind).toBe('accepted');
  }
  return siteId;
}

/** Changes a record, where its triggers are disabled. */
export function change(owner: Pool, siteId: string, assignments: string, sequence: number): Promise<unknown> {
  return owner.query(
    `update records set ${assignments} where site_id = '${siteId}' and chain_sequence = ${sequence}`,
  );
}
