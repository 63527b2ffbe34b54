import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

const BUILT = new URL('../dist/index.js', import.meta.url).href;

/** A process of two services that leaks listeners, and ends itself. */
const PROGRAM = `import { EventEmitter } from 'node:events';
  import { createLogger, runUntilSignal } from ${JSON.stringify(BUILT)};
  for (const service of ['one', 'two']) {
    const log = createLogger({ service, instance: 'i', level: 'info' });
    runUntilSignal({ log, timeoutMs: 1_000, stop: () => Promise.resolve() });
  }
  const leaking = Object.assign(new EventEmitter(), { password: 'SECRET' });
  for (let listeners = 0; listeners < 12; listeners++) leaking.on('connect', () => undefined);
  setImmediate(() => process.exit(0));`;

it('a warning of Node.js is one line of the JSON log, without the object that it warns of', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    PROGRAM,
  ]);
  expect(stderr).toBe('');
  const { level, warning } = JSON.parse(stdout) as Record<string, unknown>;
  expect(level).toBe('warn');
  expect(warning).toContain('MaxListenersExceededWarning: Possible EventEmitter memory leak');
  expect(stdout).not.toContain('SECRET');
});
