import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { NODE_BINARY, REPOSITORY_ROOT } from '@truetally/processes';

const STOPPED = 7;
const PROGRAM = `
  import { stopSignal } from '${join(REPOSITORY_ROOT, 'tools', 'dist', 'stack', 'stop-signal.js')}';
  setInterval(() => console.log('still here'), 10);
  await stopSignal().promise;
  process.exit(${STOPPED});`;

it('a stack whose output nobody reads any more stops in order', async () => {
  const child = spawn(NODE_BINARY, ['--input-type=module', '-e', PROGRAM], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  await once(child.stdout, 'data');
  child.stdout.destroy();
  child.stderr.destroy();
  await expect(exited).resolves.toEqual([STOPPED, null]);
});
