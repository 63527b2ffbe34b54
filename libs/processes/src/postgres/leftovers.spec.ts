import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ManagedProcess } from '../process/managed-process.js';
import { isStartedOn } from './leftovers.js';

describe('isStartedOn', () => {
  let server: ManagedProcess;

  beforeAll(async () => {
    server = await ManagedProcess.start({
      name: 'a server',
      command: process.execPath,
      args: ['-e', 'setInterval(() => undefined, 1000)', '--', '-D', '/some where/data', '-c', 'port=1'],
      env: process.env,
    });
  });

  afterAll(() => server.stop('SIGKILL'));

  it('recognises the server of a data folder by its command', () => {
    expect(isStartedOn(server.pid, '/some where/data')).toBe(true);
  });

  it.each(['/some where', '/some where/dat', '/some where/data2'])(
    'the server of a data folder is not recognised for %s',
    (other) => {
      expect(isStartedOn(server.pid, other)).toBe(false);
    },
  );

  it('no server of a data folder is recognised in another process, or without one', async () => {
    expect(isStartedOn(process.pid, '/some where/data')).toBe(false);
    await server.stop('SIGKILL');
    expect(isStartedOn(server.pid, '/some where/data')).toBe(false);
  });
});
