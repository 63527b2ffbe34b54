import { randomInt } from 'node:crypto';
import { mkdirSync, statSync, writeFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Below the kernel's range of ephemeral ports, so that no outgoing connection uses it. */
const FIRST_PORT = 15_000;
const LAST_PORT = 30_000;
const MAX_TRIES = 500;
/** A reservation covers the time between choosing a port and listening on it. */
const RESERVED_MS = 120_000;
const LOOPBACK = '127.0.0.1';
/**
 * Shared by all processes: each test run has its own temporary folder, but must still avoid other runs'
 * ports.
 */
const SHARED_PLACE = process.platform === 'win32' ? tmpdir() : '/tmp';

/**
 * A port that nothing listens on, and that this function returns to no other process of this machine for a
 * while: several test runs and stacks start side by side.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (reserve(port) && (await isPortFree(port))) return port;
  }
  throw new Error(`No free port between ${FIRST_PORT} and ${LAST_PORT} after ${MAX_TRIES} tries`);
}

/** Whether a server could listen on this port now. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: LOOPBACK, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

function reserve(port: number): boolean {
  const folder = join(SHARED_PLACE, `truetally-ports-${process.getuid?.() ?? 'user'}`);
  const file = join(folder, String(port));
  mkdirSync(folder, { recursive: true });
  const reservedAtMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  if (Date.now() - reservedAtMs > RESERVED_MS) rmSync(file, { force: true });
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}
