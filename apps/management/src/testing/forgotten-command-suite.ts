import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { type MemberResource, type WorkspaceResource } from '@truetally/contracts/management';
import { OPERATIONS } from '@truetally/contracts/topics';
import { COMMAND_AGE_LIMIT_DAYS, DAY_MS, readAddress } from '@truetally/kernel';
import { commandHeaders } from '@truetally/messaging';
import { eventually, testStack, writeRecord } from '@truetally/testing';
import { commandOf } from './management-replicas.js';
import { accepted, type ManagementAtWork } from './service.js';

/** Needs one replica at work. */
export function whatAForgottenCommandDoes(given: () => ManagementAtWork): void {
  async function roleOf({ id }: MemberResource): Promise<string | undefined> {
    const { rows } = await given().owner.query<{ role: string }>(
      'select role from members where member_id = $1',
      [id],
    );
    return rows[0]?.role;
  }

  /** The record of a promotion, redelivered at this age after its inbox row was deleted. */
  function redeliver(fields: object, correlationId: string, ageMs: number): Promise<void> {
    const { topic, operation } = readAddress(OPERATIONS.updateMember.address);
    return writeRecord({
      brokers: testStack().kafkaBrokers,
      topic: given().management.prefix + topic,
      key: 'promotion',
      value: JSON.stringify(commandOf(fields)),
      headers: commandHeaders(correlationId, operation),
      timestampMs: Date.now() - ageMs,
    });
  }

  it('a promotion that is redelivered after its row was deleted makes nobody an owner again', async () => {
    const workspace: WorkspaceResource = await given().management.makeWorkspace();
    const scope = { workspace_id: workspace.id, actor: 'auth0|owner' };
    const invited = { ...scope, sub: 'auth0|promoted', role: 'analyst' };
    const member = accepted<MemberResource>(
      await given().management.ask('createMember', randomUUID(), invited),
    );
    const promotion = { ...scope, member_id: member.id, role: 'owner' };
    const correlationId = randomUUID();
    accepted(await given().management.ask('updateMember', 'promotion', promotion, correlationId));
    accepted(await given().management.ask('updateMember', 'promotion', { ...promotion, role: 'analyst' }));
    expect(await roleOf(member)).toBe('analyst');

    // As long as the inbox row exists, a redelivery is not executed again.
    await redeliver(promotion, correlationId, 0);
    accepted(await given().management.ask('updateMember', 'promotion', { ...promotion, role: 'admin' }));
    expect(await roleOf(member)).toBe('admin');

    // Its inbox row was deleted, and a broker still had the record.
    await given().owner.query('delete from inbox');
    await redeliver(promotion, correlationId, COMMAND_AGE_LIMIT_DAYS * DAY_MS + 60_000);
    const letters = await eventually(async () => {
      const { rows } = await given().owner.query<{ topic: string; reason: string; attempts: number }>(
        'select topic, reason, attempts from dead_letters where topic = $1 and attempts = 0',
        [OPERATIONS.updateMember.address],
      );
      return rows.length > 0 && rows;
    });
    expect(letters).toEqual([
      {
        topic: OPERATIONS.updateMember.address,
        reason: expect.stringContaining('a command of'),
        attempts: 0,
      },
    ]);
    accepted(await given().management.ask('updateMember', 'promotion', { ...promotion, role: 'analyst' }));
    expect(await roleOf(member)).toBe('analyst');

    // The reason for the age limit: a younger command without an inbox row would be executed, so that its row
    // must still exist.
    await given().owner.query('delete from inbox');
    await redeliver(promotion, correlationId, DAY_MS);
    await eventually(async () => (await roleOf(member)) === 'owner');
  });
}
