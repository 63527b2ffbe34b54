import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import {
  type Keyring,
  type KeyringContent,
  KeyringFile,
  newKey,
  newKeyring,
  readKeyringFile,
  writeKeyringFile,
} from './index.js';

const POLL_MS = 5;
const OLD = newKeyring(Date.now());
const ADDED = newKey(Date.now());
const ROTATED: KeyringContent = { ...OLD, current: ADDED.id, keys: { ...OLD.keys, [ADDED.id]: ADDED.key } };

let folder: string;
let path: string;
let opened: KeyringFile | undefined;
let changed: Keyring[];
let refused: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyring-'));
  path = join(folder, 'keyring.json');
  changed = [];
  refused = [];
  writeKeyringFile(path, OLD);
});
afterEach(() => {
  opened?.close();
  opened = undefined;
  rmSync(folder, { recursive: true });
});

function open(): KeyringFile {
  opened = KeyringFile.open(path, {
    pollIntervalMs: POLL_MS,
    onChanged: (ring) => changed.push(ring),
    onRefused: (fault) => refused.push(fault),
  });
  return opened;
}

describe('a keyring file', () => {
  it('a keyring file is written whole and for its owner alone, and leaves nothing beside it', () => {
    expect(readKeyringFile(path)).toEqual(OLD);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['keyring.json']);
  });

  it('a keyring file is used soon after it was replaced', async () => {
    const file = open();
    const sealed = file.keyring.seal('value', ['click']);
    writeKeyringFile(path, ROTATED);
    await eventually(() => file.keyring.currentKeyId === ADDED.id, {
      message: 'the new ring',
    });
    expect(changed).toEqual([file.keyring]);
    expect(file.keyring.open(sealed, ['click'])).toEqual({ ok: true, value: 'value' });
  });

  it.each([
    ['is broken', () => writeFileSync(path, '{"keys":'), 'is not a JSON object'],
    ['is gone', () => rmSync(path), 'cannot be read (ENOENT)'],
    ['is open to others', () => chmodSync(path, 0o604), /^has mode 604: /],
    ['may be written by its group', () => chmodSync(path, 0o620), /^has mode 620: /],
    ['is huge', () => writeFileSync(path, ' '.repeat(100_000)), 'is larger than 65536 bytes'],
    ['matches by another key', () => writeKeyringFile(path, newKeyring(0)), 'has another matching_key'],
  ])(
    'a keyring file that %s leaves the old ring in force, and is told of once',
    async (_what, spoil, fault) => {
      const file = open();
      spoil();
      await eventually(() => refused.length > 0, { message: 'the change to be refused' });
      expect(refused[0]).toMatch(fault);
      expect(file.keyring.currentKeyId).toBe(OLD.current);
      writeKeyringFile(path, ROTATED);
      await eventually(() => changed.length > 0, { message: 'the good ring to be read' });
      expect(refused.length).toBe(1);
      expect(file.keyring.currentKeyId).toBe(ADDED.id);
    },
  );

  it.each([0o600, 0o640, 0o400, 0o440])('a keyring file may have mode %i', (mode) => {
    chmodSync(path, mode);
    expect(open().keyring.currentKeyId).toBe(OLD.current);
  });

  it('stops the start when it cannot be used, without a word of its keys', () => {
    const key = String(OLD.keys[OLD.current]);
    writeFileSync(path, JSON.stringify({ ...OLD, current: key }));
    expect(open).toThrow(`The keyring ${path} current must be the id of one of its keys.`);
    rmSync(path);
    expect(open).toThrow(`The keyring ${path} cannot be read (ENOENT).`);
  });
});
