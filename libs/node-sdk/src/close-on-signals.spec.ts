import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, NODE_BINARY, REPOSITORY_ROOT } from '@truetally/testing';
import { ScriptedService } from './testing/scripted-service.js';

const BUNDLE = join(REPOSITORY_ROOT, 'libs', 'node-sdk', 'dist', 'bundle', 'index.mjs');

let service: ScriptedService;
let folder: string;

beforeEach(async () => {
  service = await new ScriptedService(Array.from({ length: 3 }, () => 'is-unavailable' as const)).start();
  folder = mkdtempSync(join(tmpdir(), 'truetally-signals-'));
});

afterEach(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A shop's process with two clients, each with an event that the service does not take at once. */
function shop(more: string) {
  const program = `import { Truetally } from ${JSON.stringify(BUNDLE)};
    const options = { apiKey: 'ck_abcdefgh_secret', baseUrl: '${service.baseUrl}' };
    const context = { page_url: 'https://shop.example/', user_agent: 'shop' };
    for (const id of ['a', 'b']) {
      void new Truetally(options).track({ event_type: 'page_view', session_id: 's', client_event_id: id, context });
    }
    setInterval(() => undefined, 1000);
    ${more}
    console.log('ready');`;
  const file = join(folder, 'shop.mjs');
  writeFileSync(file, program);
  const child = spawn(NODE_BINARY, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  return { child, exited: once(child, 'exit') };
}

describe('a process that is asked to end', () => {
  it('every client sends what waits, and the process then ends by the signal', async () => {
    const { child, exited } = shop('');
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await exited).toEqual([null, 'SIGTERM']);
    expect([...service.stored.keys()].toSorted()).toEqual(['a', 'b']);
  });

  it('a signal that comes twice, as npm hands it on, loses nothing', async () => {
    const { child, exited } = shop('');
    await once(child.stdout, 'data');
    child.kill('SIGINT');
    await eventually(() => service.requests.length > 2);
    child.kill('SIGINT');
    expect(await exited).toEqual([null, 'SIGINT']);
    expect([...service.stored.keys()].toSorted()).toEqual(['a', 'b']);
  });

  it('copies of the package in one process wait for each other, and the process then ends by the signal', async () => {
    const { child, exited } = shop(`const copy = await import(${JSON.stringify(BUNDLE)} + '?copy');
      void new copy.Truetally(options).track({ event_type: 'page_view', session_id: 's', client_event_id: 'c', context });`);
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await exited).toEqual([null, 'SIGTERM']);
    expect([...service.stored.keys()].toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('an application that listens itself decides when its process ends', async () => {
    const { child, exited } = shop("process.on('SIGTERM', () => setTimeout(() => process.exit(7), 3000));");
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await exited).toEqual([7, null]);
  });
});
