import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const LATE_COLLECTION = new URL('./late-collection.ts', import.meta.url).href;

describe('late-collection', () => {
  it('its flag is one that V8 knows: it complains of others', async () => {
    const run = (script: string) =>
      promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    const unknown = await run(
      `import { setFlagsFromString } from 'node:v8'; setFlagsFromString('--no-such-flag');`,
    );
    expect(`${unknown.stdout}${unknown.stderr}`).toContain('no-such-flag');
    const { stdout, stderr } = await run(`await import(${JSON.stringify(LATE_COLLECTION)});`);
    expect(`${stdout}${stderr}`).not.toContain('heap-growing');
  });
});
