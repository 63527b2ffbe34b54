import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { javaBroker } from './java-broker.js';
import { kafkaLibraries } from './libraries.js';

describe('javaBroker', () => {
  const folder = mkdtempSync(join(tmpdir(), 'truetally-broker-'));

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('formats its log in a folder of any letters', async () => {
    const dataDir = join(folder, 'Käfig 日本');
    await javaBroker({ dataDir, port: 1, controllerPort: 2 }, await kafkaLibraries(), []);
    expect(existsSync(join(dataDir, 'log', 'meta.properties'))).toBe(true);
  });

  it('names a folder whose comma Kafka would misread', async () => {
    const dataDir = join(folder, 'a,b');
    await expect(javaBroker({ dataDir, port: 1, controllerPort: 2 }, 'unused', [])).rejects.toThrow(
      `it cannot run in ${dataDir}`,
    );
    expect(existsSync(dataDir)).toBe(false);
  });
});
