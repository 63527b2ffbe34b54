import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type KeyringFile, newKeyring, writeKeyringFile } from '@truetally/keyring';
import { createLogger, Metrics } from '@truetally/platform';
import { eventually } from '@truetally/testing';
import { openKeyring } from './open-keyring.js';

const RING = newKeyring(Date.now());

describe('the keyring of a process', () => {
  let folder: string;
  let path: string;
  let written: string;
  let metrics: Metrics;
  let opened: KeyringFile | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'process-keyring-'));
    path = join(folder, 'keyring.json');
    written = '';
    metrics = new Metrics('gateway');
    opened = undefined;
    writeKeyringFile(path, RING);
  });
  afterEach(() => {
    opened?.close();
    rmSync(folder, { recursive: true });
  });

  function open(): void {
    const log = createLogger(
      { service: 'gateway', instance: 'test', level: 'trace' },
      { write: (line: string) => (written += line) },
    );
    opened = openKeyring(path, log, metrics, { pollIntervalMs: 5 });
  }

  it('the keyring is logged by the ids of its keys, without the keys', async () => {
    open();
    expect(written).toContain(`"current_key_id":"${RING.current}"`);
    writeKeyringFile(path, { ...RING, superseded: {} });
    await eventually(() => written.includes('The keyring was read again.'));
    for (const key of [...Object.values(RING.keys), RING.matching_key]) expect(written).not.toContain(key);
  });

  it('counts refused changes, and logs the reason', async () => {
    open();
    writeFileSync(path, JSON.stringify({ ...RING, current: 'none' }));
    await eventually(() => written.includes('A changed keyring is refused'));
    expect(written).toContain('current must be the id of one of its keys');
    expect(await metrics.text()).toMatch(/^truetally_keyring_refused_total(?:\{.*\})? 1$/m);
  });

  it('stops the start with a message that names the variable', () => {
    rmSync(path);
    expect(open).toThrow(
      `KEYRING_FILE must name a keyring that can be used. The keyring ${path} cannot be read (ENOENT).`,
    );
  });
});
