import { afterEach, describe, expect, it } from '@jest/globals';
import { Metrics, type Operations, startOperations } from './index.js';

let operations: Operations | undefined;
afterEach(() => operations?.close());

async function open(
  ready: () => Promise<Record<string, boolean>>,
): Promise<(path: string) => Promise<Response>> {
  const metrics = new Metrics('tested', 50);
  metrics.observedAll(
    'never_known',
    'Of a server that says nothing.',
    [],
    () => new Promise(() => undefined),
  );
  metrics.counter('things_total', 'Things.').inc(3);
  operations = await startOperations({ host: '127.0.0.1', port: 0, metrics, ready });
  const base = `http://127.0.0.1:${operations.port}`;
  return (path) => fetch(base + path);
}

describe('the operations port (section 11)', () => {
  it('the operations port is live while it is not ready, and names the unavailable dependency', async () => {
    const get = await open(() => Promise.resolve({ kafka: true, postgres: false }));
    expect((await get('/health/live')).status).toBe(200);
    const ready = await get('/health/ready');
    expect(ready.status).toBe(503);
    expect(await ready.json()).toEqual({
      status: 'not ready',
      dependencies: { kafka: true, postgres: false },
    });
  });

  it('the operations port is ready when every dependency answers', async () => {
    const get = await open(() => Promise.resolve({ kafka: true }));
    expect((await get('/health/ready')).status).toBe(200);
  });

  it('the operations port is not ready when a check throws or hangs', async () => {
    const get = await open(() => Promise.reject(new Error('gone')));
    expect((await get('/health/ready')).status).toBe(503);
    await operations?.close();
    const hanging = await open(() => new Promise(() => undefined));
    expect((await hanging('/health/ready')).status).toBe(503);
  });

  it('shows metrics in the Prometheus text format, although one of them is not known in time', async () => {
    const get = await open(() => Promise.resolve({}));
    expect(await (await get('/metrics')).text()).toContain('truetally_things_total{service="tested"} 3');
    expect((await get('/anything')).status).toBe(404);
  });
});
