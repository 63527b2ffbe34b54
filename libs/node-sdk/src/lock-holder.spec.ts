import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, NODE_BINARY, REPOSITORY_ROOT } from '@truetally/testing';
import { takeLock } from './lock-holder.js';

const BUNDLE = join(REPOSITORY_ROOT, 'libs', 'node-sdk', 'dist', 'bundle', 'index.mjs');

let folder: string;
let lock: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'truetally-lock-'));
  lock = join(folder, 'lock');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const LONG_AGO = new Date('2026-01-01T00:00:00Z');
const STALE = `${process.ppid} another-boot 1`;

describe('the lock of a folder', () => {
  it('a lock that is being made belongs to whoever makes it, and is free when that one was killed', () => {
    writeFileSync(lock, '');
    expect(takeLock(lock)).toBe('that is starting');
    utimesSync(lock, LONG_AGO, LONG_AGO);
    expect(takeLock(lock)).toBeUndefined();
    expect(readFileSync(lock, 'utf8')).toMatch(new RegExp(`^${process.pid}( |$)`));
  });

  it('a lock that is being taken over belongs to whoever does so, until that one was killed', () => {
    writeFileSync(lock, STALE);
    const takeover = `${lock}.takeover`;
    mkdirSync(takeover);
    expect(takeLock(lock)).toBe('that is starting');
    expect(readFileSync(lock, 'utf8')).toBe(STALE);
    utimesSync(takeover, LONG_AGO, LONG_AGO);
    expect(takeLock(lock)).toBeUndefined();
  });

  it('a lock that is given back while it is looked at is removed by nobody: it may be the next one’s by then', () => {
    const next = `${lock}.next`;
    // It is there for who makes a lock, and not there for who reads it.
    symlinkSync(next, lock);
    expect(takeLock(lock)).toBe('that is ending');
    writeFileSync(next, STALE);
    expect(readFileSync(lock, 'utf8')).toBe(STALE);
  });

  it('a folder, fresh or left by a dead process, has one of the processes that start at the same time', async () => {
    const folders = Array.from({ length: 24 }, (_, index) => join(folder, String(index)));
    for (const [index, each] of folders.entries()) {
      mkdirSync(each);
      if (index % 2 === 1) writeFileSync(join(each, 'lock'), STALE);
    }
    const program = join(folder, 'shop.mjs');
    writeFileSync(
      program,
      `import { Truetally } from ${JSON.stringify(BUNDLE)};
       const options = { apiKey: 'ck_abcdefgh_secret', baseUrl: 'http://127.0.0.1:9/api/v1', closeOnSignals: false };
       for (const [index, outbox] of ${JSON.stringify(folders)}.entries()) {
         while (Date.now() < Number(process.argv[2]) + index * 10);
         try {
           new Truetally({ ...options, outbox });
           console.log(outbox);
         } catch (error) {
           if (!String(error).includes('is in use by')) console.log(String(error));
         }
       }
       console.log('done');
       process.stdin.resume();`,
    );
    const startMs = String(Date.now() + 1_000);
    const children = Array.from({ length: 3 }, () => {
      const child = spawn(NODE_BINARY, [program, startMs], { stdio: ['pipe', 'pipe', 'inherit'] });
      const said: string[] = [];
      createInterface(child.stdout).on('line', (line) => said.push(line));
      return { child, said, exited: once(child, 'exit') };
    });
    // Until then all are alive: a lock of one that has ended would be free.
    await eventually(() => children.every(({ said }) => said.at(-1) === 'done'));
    for (const { child } of children) child.stdin.end();
    await Promise.all(children.map(({ exited }) => exited));
    const holders = children.flatMap(({ said }) => said.slice(0, -1));
    // Each once.
    expect(holders.toSorted()).toEqual(folders.toSorted());
  });

  it('a folder has one client of a process, whatever copy of the package it is of', () => {
    const program = join(folder, 'shop.mjs');
    writeFileSync(
      program,
      `const options = { apiKey: 'ck_abcdefgh_secret', baseUrl: 'http://127.0.0.1:9/api/v1', closeOnSignals: false };
       for (const copy of ['one', 'other']) {
         const { Truetally } = await import(${JSON.stringify(BUNDLE)} + '?' + copy);
         try {
           new Truetally({ ...options, outbox: ${JSON.stringify(folder)} });
           console.log('open');
         } catch (error) {
           console.log(String(error));
         }
       }`,
    );
    const [first, second] = execFileSync(NODE_BINARY, [program], { encoding: 'utf8' }).split('\n');
    expect(first).toBe('open');
    expect(second).toContain('is in use by process');
  });
});
