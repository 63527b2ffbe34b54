import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { freePort, isPortFree } from './free-port.js';

describe('freePort', () => {
  it('gives many callers at once a port each', async () => {
    const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
    expect(new Set(ports).size).toBe(50);
  });
});

describe('isPortFree', () => {
  it('distinguishes a port in use from a free one', async () => {
    const port = await freePort();
    await expect(isPortFree(port)).resolves.toBe(true);
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    await expect(isPortFree(port)).resolves.toBe(false);
    server.close();
  });
});
