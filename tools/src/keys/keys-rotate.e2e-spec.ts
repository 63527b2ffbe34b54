import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Keyring, newKey, promoteKey, readKeyringFile, stageKey, writeKeyringFile } from '@truetally/keyring';
import { eventually } from '@truetally/testing';
import {
  backdateKeys,
  type Clicks,
  currentAlone,
  openClicks,
  ROTATION_BACKENDS,
  valueOf,
} from '../testing/clicks.js';
import { addIntegrations, readIntegrations } from '../testing/integrations.js';
import type { Told } from '../testing/told-by.js';
import { KEEP_MS } from './rotate-keys.js';

const AT_ONCE = ['--settle-seconds', '0'];
/** More than three rotations seal before each is killed. */
const MANY = 4_000;
/** Into the second of the batches that a rotation seals. */
const HELD_AT = 750;

let clicks: Clicks;

beforeAll(async () => {
  clicks = await openClicks();
});
beforeEach(() => clicks.empty());
afterAll(() => clicks.close());

const rotate = (...parameters: readonly string[]) => clicks.rotate([...AT_ONCE, ...parameters]);

async function rotateInProcess(): Promise<Told> {
  const tool = await clicks.start(AT_ONCE);
  const { code } = await tool.exited;
  return { code, output: tool.output() };
}

const ring = () => readKeyringFile(clicks.keyringFile);

async function countUnder(keyId: string): Promise<number> {
  const { rows } = await clicks.owner.query<{ count: string }>(
    'select count(*) from click_values where key_id = $1',
    [keyId],
  );
  return Number(rows[0]?.count);
}

/** Keeps a rotation from sealing it. */
const HOLD_ONE = `
  select from click_values where touch_row_id =
    (select touch_row_id from click_values where key_id = $1 order by touch_row_id offset $2 limit 1) for update`;

/** Every value is unchanged, and sealed with the current key. */
async function expectAllUnderCurrent(ids: readonly string[]): Promise<void> {
  const values = await clicks.read(currentAlone(clicks));
  expect(values.size).toBe(ids.length);
  expect(ids.filter((id) => values.get(id) !== valueOf(id))).toEqual([]);
}

describe('npm run keys:rotate', () => {
  it('seals everything with a new key, and reports its progress', async () => {
    const ids = await clicks.add(1_200);
    const hashes = async () =>
      (await clicks.owner.query('select id, click_hash from touches order by id')).rows;
    const [before, matched] = [ring(), await hashes()];
    const { code, output } = await rotateInProcess();
    expect(code).toBe(0);
    await expectAllUnderCurrent(ids);
    expect(await hashes()).toEqual(matched);
    const after = ring();
    expect(after.current).not.toBe(before.current);
    expect(Object.keys(after.keys).sort()).toEqual([before.current, after.current].sort());
    expect(after.matching_key).toBe(before.matching_key);
    expect(after.rotating_to).toBeUndefined();
    expect(Object.keys(after.superseded ?? {})).toEqual([before.current]);
    expect(output).toMatch(/^1200 of 1200 click values are sealed anew \(\d+\/s\)\.$/m);
    expect(output).toContain(`Older keys in the ring: ${before.current}`);
  });

  it('seals the credentials of integrations with it too, and keeps a key that one cannot be freed of', async () => {
    const ids = await addIntegrations(clicks, 700);
    const [broken] = ids;
    await clicks.management.query(
      'update integrations set sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1) where id = $1',
      [broken],
    );
    const { code, output } = await rotate();
    expect(code).toBe(1);
    expect(output).toContain('699 credentials of integrations were sealed anew');
    expect(output).toContain(
      `1 credentials of integrations cannot be opened and stay as they are: ${broken}`,
    );
    const opened = await readIntegrations(clicks, currentAlone(clicks));
    expect(opened.size).toBe(700);
    expect(ids.filter((id) => opened.get(id) !== `token of ${id}`)).toEqual([broken]);
  });

  it('prints no keys and values', async () => {
    await clicks.add(10);
    const { output } = await rotateInProcess();
    for (const secret of [...Object.values(ring().keys), ring().matching_key, 'click of']) {
      expect(output).not.toContain(secret);
    }
  });

  it('rotates again and again, and an empty table too', async () => {
    expect((await rotate()).code).toBe(0);
    const ids = await clicks.add(3);
    expect((await rotate()).code).toBe(0);
    expect((await rotate()).code).toBe(0);
    await expectAllUnderCurrent(ids);
    expect(Object.keys(ring().keys).length).toBe(4);
  });

  it('goes on after SIGKILL, however often, with the key that it had begun with', async () => {
    const ids = await clicks.add(MANY);
    const before = ring();
    let done = 0;
    for (let kills = 0; kills < 3; kills += 1) {
      await clicks.owner.query('begin');
      await clicks.owner.query(HOLD_ONE, [before.current, HELD_AT]);
      const tool = await clicks.start(AT_ONCE);
      const beyond = done;
      await eventually(async () => (await countUnder(ring().rotating_to ?? '')) > beyond, {
        message: () => `the rotation to advance: ${tool.tail()}`,
      });
      tool.send('SIGKILL');
      await tool.exited;
      await clicks.owner.query('rollback');
      // A statement that was under way ends with its backend, and so does the lock of the rotation.
      await eventually(async () => (await clicks.owner.query(ROTATION_BACKENDS)).rowCount === 0);
      done = await countUnder(ring().current);
      expect(done).toBeGreaterThan(beyond);
      // Every value can be opened at any moment.
      const values = await clicks.read(new Keyring(ring()));
      expect(ids.filter((id) => values.get(id) !== valueOf(id))).toEqual([]);
    }
    expect(done).toBeLessThan(MANY);
    const { code, output } = await rotateInProcess();
    expect(code).toBe(0);
    expect(output).toContain('was interrupted; it goes on.');
    expect(Object.keys(ring().keys).length).toBe(Object.keys(before.keys).length + 1);
    expect(ring().rotating_to).toBeUndefined();
    await expectAllUnderCurrent(ids);
  });

  it.each(['staged', 'promoted'])('goes on from a ring that was left %s', async (step) => {
    const ids = await clicks.add(10);
    const added = newKey(Date.now());
    const staged = stageKey(ring(), added);
    if (!staged.ok) throw new Error(staged.error);
    writeKeyringFile(
      clicks.keyringFile,
      step === 'staged' ? staged.value : promoteKey(staged.value, Date.now()),
    );
    expect((await rotate()).code).toBe(0);
    expect(ring().current).toBe(added.id);
    expect(Object.keys(ring().keys).length).toBe(2);
    await expectAllUnderCurrent(ids);
  });

  it('reseals values that arrive with the old key during the rotation', async () => {
    const ids = [...(await clicks.add(5_000))];
    // From a gateway that reads the new keyring too late.
    const late = new Keyring(ring());
    const rotation = clicks.rotate(['--settle-seconds', '1']);
    await eventually(() => ring().current !== late.currentKeyId, {
      message: 'the new key to seal',
    });
    ids.push(...(await clicks.add(10, late)));
    expect((await rotation).code).toBe(0);
    await expectAllUnderCurrent(ids);
  });

  it('only one npm run keys:rotate runs at a time', async () => {
    const first = await clicks.start(['--settle-seconds', '60']);
    await eventually(() => ring().rotating_to !== undefined, {
      message: 'the first to begin',
    });
    const second = await rotate();
    expect(second).toEqual({ code: 1, output: 'Not done: another keys:rotate is at work.\n' });
    await first.stop('SIGKILL');
  });

  it('leaves values that cannot be opened unchanged, names them, and reseals all others', async () => {
    const ids = await clicks.add(700);
    const [broken, moved, other] = ids;
    await clicks.owner.query(
      `update click_values set sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1) where touch_row_id = $1`,
      [broken],
    );
    await clicks.owner.query(
      `update click_values set sealed = (select sealed from click_values where touch_row_id = $2) where touch_row_id = $1`,
      [moved, other],
    );
    const old = ring().current;
    const { code, output } = await rotate();
    expect(code).toBe(1);
    expect(output).toContain('2 click values cannot be opened and stay as they are');
    expect(output).toContain(String(broken));
    expect(output).toContain(String(moved));
    expect(await countUnder(old)).toBe(2);
    expect(await countUnder(ring().current)).toBe(698);
    expect(ring().rotating_to).toBeUndefined();
  });

  it.each([
    [{ DATABASE_URL: '' }, 'DATABASE_URL is missing'],
    [{ KEYRING_FILE: '/nowhere/keyring.json' }, 'cannot be read (ENOENT)'],
  ])('reports the error in its configuration %j', async (changes, message) => {
    const { code, output } = await clicks.rotate(AT_ONCE, changes);
    expect(code).toBe(1);
    expect(output).toContain(message);
  });
});

describe('npm run keys:rotate -- --retire', () => {
  it('keeps a key as long as a topic may hold a value of it, and then takes it out', async () => {
    const ids = await clicks.add(5);
    const old = ring().current;
    await rotate();
    const early = await rotate('--retire');
    expect(early.code).toBe(0);
    expect(early.output).toContain(`Key ${old} stays: due from `);
    backdateKeys(clicks, KEEP_MS - 60_000);
    await rotate('--retire');
    expect(Object.keys(ring().keys)).toContain(old);
    backdateKeys(clicks, KEEP_MS);
    const due = await rotate('--retire');
    expect(due.output).toContain(`Retired: ${old}.`);
    expect(Object.keys(ring().keys)).toEqual([ring().current]);
    expect(ring().superseded).toEqual({});
    await expectAllUnderCurrent(ids);
  });

  it('first reseals late values, and keeps a key that still seals a value', async () => {
    const [broken] = await clicks.add(2);
    const old = ring().current;
    await rotate();
    await clicks.owner.query(
      `update click_values set key_id = $1, sealed = set_byte(sealed, 0, get_byte(sealed, 0) # 1) where touch_row_id = $2`,
      [old, broken],
    );
    backdateKeys(clicks, KEEP_MS);
    const { code, output } = await rotate('--retire');
    expect(code).toBe(1);
    expect(output).toContain(`Key ${old} stays: values are still sealed with it.`);
    expect(Object.keys(ring().keys)).toContain(old);
  });

  it('npm run keys:rotate -- --retire is refused in the middle of a rotation', async () => {
    const staged = stageKey(ring(), newKey(Date.now()));
    if (staged.ok) writeKeyringFile(clicks.keyringFile, staged.value);
    const { code, output } = await rotate('--retire');
    expect([code, output]).toEqual([
      1,
      'Not done: A rotation was interrupted: run keys:rotate without --retire first.\n',
    ]);
  });
});
