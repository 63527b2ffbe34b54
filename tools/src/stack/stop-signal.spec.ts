import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { NODE_BINARY, REPOSITORY_ROOT } from '@truetally/processes';

const STOPPED = 7;
const PROGRAM = `
  import { stopSignal } from '${join(REPOSITORY_ROOT, 'tools', 'dist', 'stack', 'stop-signal.js')}';
  setInterval(() => console.log('still here'), 10);
  await stopSignal().promise;
  console.log('stopped');
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

it('a stack stops in order when the npm that runs it is killed', async () => {
  const shell = spawn('sh', ['-c', '"$0" --input-type=module -e "$1"; true', NODE_BINARY, PROGRAM], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, npm_lifecycle_event: 'start' },
  });
  await once(shell.stdout, 'data');
  shell.kill('SIGKILL');
  // It ends with the program, which has the pipe, too.
  expect(await text(shell.stdout)).toMatch(/stopped\n$/);
});
