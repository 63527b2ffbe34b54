import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type LoadJob, type LoadResult, NUMBER } from './load-job.js';
import { bodyPieces, type Payload } from './payload.js';

const run = promisify(execFile);
const MICROSECONDS_PER_SECOND = 1_000_000;
const MICROSECONDS_PER_MS = 1_000;

type TimedJob = Omit<LoadJob, 'amount' | 'method'> & {
  readonly seconds: number;
  readonly method: string;
};

/** Whether the load generator wrk (https://github.com/wg/wrk) is installed. */
export function hasWrk(): boolean {
  return spawnSync('wrk', ['--version']).error === undefined;
}

/** One measurement with wrk: one thread, every connection sends again as soon as it is answered. */
export async function runWrk(job: TimedJob): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'truetally-wrk-'));
  const script = join(folder, 'load.lua');
  writeFileSync(script, luaScript(job));
  try {
    const { stdout } = await run('wrk', [
      '--threads=1',
      `--connections=${job.connections}`,
      // It takes whole seconds.
      `--duration=${Math.ceil(job.seconds)}s`,
      '--timeout=30s',
      `--script=${script}`,
      new URL(job.url).origin,
    ]);
    return resultOf(stdout.slice(stdout.lastIndexOf('{"microseconds"')), job.payload);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Summary {
  readonly microseconds: number;
  readonly answers: number;
  readonly errors: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly statuses: Readonly<Record<string, number>>;
}

function resultOf(text: string, { eventsPerRequest }: Payload): LoadResult {
  const summary = JSON.parse(text) as Summary;
  const requestsPerSecond = (summary.answers * MICROSECONDS_PER_SECOND) / summary.microseconds;
  const inMs = (microseconds: number): number => Math.round((10 * microseconds) / MICROSECONDS_PER_MS) / 10;
  return {
    requestsPerSecond,
    eventsPerSecond: requestsPerSecond * eventsPerRequest,
    latencyMs: { p50: inMs(summary.p50), p99: inMs(summary.p99), max: inMs(summary.max) },
    statuses: summary.statuses,
    errors: summary.errors,
    sent: summary.answers,
  };
}

/**
 * wrk calls `request` for the bytes of each request, `response` for each answer, and `done` in a separate Lua state.
 */
function luaScript({ url, method, headers, payload }: TimedJob): string {
  const { pathname, search } = new URL(url);
  const path = `${pathname}${search}`.split(NUMBER).map(luaText);
  const body = method === 'GET' ? 'nil' : 'table.concat(pieces, id)';
  const all = Object.entries({ 'Content-Type': 'application/json', ...headers });
  const distinct = payload.distinctRequests ?? Number.MAX_SAFE_INTEGER;
  return `
local path = { ${path.join(', ')} }
local pieces = { ${bodyPieces(payload).map(luaText).join(', ')} }
local headers = { ${all.map(([name, value]) => `[${luaText(name)}] = ${luaText(value)}`).join(', ')} }
local sent = 0
local threads = {}
statuses = {}

function setup(thread)
  table.insert(threads, thread)
end

function request()
  local number = sent % ${distinct}
  local id = ${luaText(payload.idPrefix)} .. '-' .. string.format('%x', number)
  sent = sent + 1
  return wrk.format(${luaText(method)}, table.concat(path, number), headers, ${body})
end

function response(status)
  local key = tostring(status)
  statuses[key] = (statuses[key] or 0) + 1
end

function done(summary, latency)
  local counts = {}
  for status, count in pairs(threads[1]:get('statuses')) do
    table.insert(counts, string.format('"%s":%d', status, count))
  end
  local errors = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  print(string.format(
    '{"microseconds":%d,"answers":%d,"errors":%d,"p50":%d,"p99":%d,"max":%d,"statuses":{%s}}',
    summary.duration, summary.requests, errors, latency:percentile(50), latency:percentile(99), latency.max,
    table.concat(counts, ',')))
end
`;
}

/** A text as a Lua literal, with any content. */
function luaText(text: string): string {
  const escaped = [...Buffer.from(text)].map((byte) => `\\${String(byte).padStart(3, '0')}`).join('');
  return `"${escaped}"`;
}
