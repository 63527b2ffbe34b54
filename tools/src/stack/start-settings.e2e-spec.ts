import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import { localStackFixture } from '../testing/local-stack.js';

describe('npm start with invalid settings', () => {
  let local: Awaited<ReturnType<typeof localStackFixture>>;

  beforeAll(async () => {
    local = await localStackFixture();
  });

  afterAll(() => local.remove());

  it('names a port that is taken, and the variable that sets another', async () => {
    const port = Number(local.environment['KAFKA_PORT']);
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    const blocked = await local.run('start');
    await expect(blocked.exited).resolves.toEqual({ code: 1, signal: null });
    await eventually(() => blocked.output().includes(`Port ${port} is taken; KAFKA_PORT sets another.`));
    expect(existsSync(join(local.folder, 'stack.json'))).toBe(false);
    server.close();
  });

  it('names a setting that is no port', async () => {
    const refused = await local.run('start', [], { GATEWAY_PORT: 'eighty' });
    await expect(refused.exited).resolves.toEqual({ code: 1, signal: null });
    await eventually(() => refused.output().includes('GATEWAY_PORT must be a whole number from 1 to 65535'));
  });
});
