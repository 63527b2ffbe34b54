import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Keyring, readKeyringFile } from '@truetally/keyring';
import { eventually } from '@truetally/testing';
import { backdateKeys, type Clicks, currentAlone, openClicks, ROTATION_BACKENDS } from '../testing/clicks.js';
import { addIntegrations } from '../testing/integrations.js';
import { addWorkflow, factsOfWorkflow, readWorkflowRow, sealSecret } from '../testing/webhooks.js';
import { KEEP_MS } from './rotate-keys.js';

const AT_ONCE = ['--settle-seconds', '0'];

/** A rotation waits for a lock that somebody else holds. */
const IS_WAITING = `
  select from pg_stat_activity
  where datname = current_database() and application_name = 'keys-rotate' and wait_event_type = 'Lock'`;

let clicks: Clicks;

beforeAll(async () => {
  clicks = await openClicks();
});
beforeEach(async () => {
  await clicks.empty();
  // Workflows are of its site.
  await addIntegrations(clicks, 1);
});
afterAll(() => clicks.close());

const rotate = (...parameters: readonly string[]) => clicks.rotate([...AT_ONCE, ...parameters]);
const ring = () => readKeyringFile(clicks.keyringFile);

describe('npm run keys:rotate', () => {
  it('seals secrets of webhooks with it too, tells them, and changes nothing that a merchant sees', async () => {
    const hour = 3_600_000;
    const at = (ms: number): string => new Date(Date.now() + ms).toISOString();
    const id = await addWorkflow(clicks, 'third', [
      ['second', at(hour)],
      ['first', at(-hour)],
    ]);
    const before = await readWorkflowRow(clicks, id, new Keyring(ring()));
    const { code, output } = await rotate();
    expect(code).toBe(0);
    expect(output).toContain('1 workflows with secrets of webhooks were sealed anew');
    const after = await readWorkflowRow(clicks, id, currentAlone(clicks));
    expect(after).toEqual({ kept: before.kept, secrets: ['third', 'second'] });
    const [fact, ...others] = await factsOfWorkflow(clicks, id, currentAlone(clicks));
    expect(others).toEqual([]);
    expect(fact?.secrets).toEqual(after.secrets);
    expect(fact?.record).toMatchObject({ workflow_id: id, version: 7, url: 'https://crm.example/' });
    // There is nothing left to seal, and nothing to tell.
    await rotate('--retire');
    expect((await factsOfWorkflow(clicks, id, currentAlone(clicks))).length).toBe(1);
  });

  it('keeps the secret of a webhook with which its merchant replaces one meanwhile', async () => {
    const id = await addWorkflow(clicks, 'old');
    const { key_id, sealed } = sealSecret(new Keyring(ring()), id, 'new');
    await clicks.management.query('begin');
    await clicks.management.query(
      `update workflows set key_id = $2, sealed = decode($3, 'base64'), version = 8 where id = $1`,
      [id, key_id, sealed],
    );
    const rotation = rotate();
    await eventually(async () => (await clicks.owner.query(IS_WAITING)).rowCount === 1, {
      message: 'the rotation to come to the workflow',
    });
    await clicks.management.query('commit');
    expect((await rotation).code).toBe(0);
    expect((await readWorkflowRow(clicks, id, currentAlone(clicks))).secrets).toEqual(['new']);
    const facts = await factsOfWorkflow(clicks, id, currentAlone(clicks));
    expect(facts.map(({ record, secrets }) => [record.version, secrets])).toEqual([[8, ['new']]]);
  });

  it('leaves a secret of a webhook as it was when it is killed before it has told it', async () => {
    const id = await addWorkflow(clicks, 'secret');
    const before = new Keyring(ring());
    await clicks.management.query('begin');
    await clicks.management.query(`select pg_advisory_xact_lock(hashtext(current_schema() || '.outbox'))`);
    const tool = await clicks.start(AT_ONCE);
    await eventually(async () => (await clicks.owner.query(IS_WAITING)).rowCount === 1, {
      message: () => `the rotation to come to the outbox: ${tool.tail()}`,
    });
    tool.send('SIGKILL');
    await tool.exited;
    await clicks.management.query('rollback');
    await eventually(async () => (await clicks.owner.query(ROTATION_BACKENDS)).rowCount === 0);
    expect((await readWorkflowRow(clicks, id, before)).secrets).toEqual(['secret']);
    expect((await rotate()).code).toBe(0);
    expect((await readWorkflowRow(clicks, id, currentAlone(clicks))).secrets).toEqual(['secret']);
    expect((await factsOfWorkflow(clicks, id, currentAlone(clicks))).length).toBe(1);
  });

  it('keeps a key until the secrets of webhooks that it sealed are told anew', async () => {
    await addWorkflow(clicks, 'secret');
    const old = ring().current;
    await rotate();
    backdateKeys(clicks, KEEP_MS);
    const { code, output } = await rotate('--retire');
    expect(code).toBe(0);
    expect(output).toContain('1 facts of workflows with secrets of webhooks wait to be published');
    expect(output).toContain(`Key ${old} stays: run this again later.`);
    await clicks.management.query('truncate outbox');
    expect((await rotate('--retire')).output).toContain(`Retired: ${old}.`);
  });

  it('keeps the key of a webhook’s secret that cannot be opened, names it, and tells no other state of it', async () => {
    const old = ring().current;
    const id = await addWorkflow(clicks, 'secret');
    await clicks.management.query(
      'update workflows set sealed = set_byte(sealed, 20, 255 - get_byte(sealed, 20))',
    );
    expect((await rotate()).code).toBe(1);
    backdateKeys(clicks, KEEP_MS);
    const { code, output } = await rotate('--retire');
    expect(code).toBe(1);
    expect(output).toContain(`cannot be opened and stay as they are: ${id} (${old})`);
    expect(output).toContain(`Key ${old} stays: values are still sealed with it.`);
    expect(await factsOfWorkflow(clicks, id, new Keyring(ring()))).toEqual([]);
  });
});
