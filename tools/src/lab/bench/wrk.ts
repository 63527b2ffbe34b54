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
const MS_PER_SECOND = 1_000;
/** wrk waits for whole milliseconds. */
const LATE_MS = 2;

type TimedJob = Omit<LoadJob, 'amount' | 'method'> & {
  readonly seconds: number;
  readonly method: string;
};

/** Whether the load generator wrk (https://github.com/wg/wrk) is installed. */
export function hasWrk(): boolean {
  return spawnSync('wrk', ['--version']).error === undefined;
}

/**
 * One measurement with wrk: one thread, every connection sends again as soon as it is answered, or at the next moment of
 * an even rate.
 */
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
  readonly late: number;
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
    lateShare: summary.late / summary.answers,
    statuses: summary.statuses,
    errors: summary.errors,
    sent: summary.answers,
  };
}

/**
 * wrk calls `request` for the bytes of each request, `response` for each answer, and `done` in a separate Lua state.
 */
function luaScript({ url, method, headers, payload, requestsPerSecond }: TimedJob): string {
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
late = 0
${requestsPerSecond === undefined ? '' : luaPace(requestsPerSecond)}
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
    '{"microseconds":%d,"answers":%d,"errors":%d,"p50":%d,"p99":%d,"max":%d,"late":%d,"statuses":{%s}}',
    summary.duration, summary.requests, errors, latency:percentile(50), latency:percentile(99), latency.max,
    threads[1]:get('late'), table.concat(counts, ',')))
end
`;
}

/**
 * wrk asks `delay` how many milliseconds a connection waits before its next request: until the next moment that no other
 * one has taken. While all are busy moments pass, and are made up for; those requests are late.
 */
function luaPace(requestsPerSecond: number): string {
  return `
local ffi = require('ffi')
ffi.cdef('typedef struct { long seconds; long nanoseconds; } moment; int clock_gettime(int clock, moment *now);')
local MONOTONIC = 1
local clock = ffi.new('moment')
local due
function delay()
  ffi.C.clock_gettime(MONOTONIC, clock)
  local now = tonumber(clock.seconds) * 1000 + tonumber(clock.nanoseconds) / 1000000
  due = (due or now) + ${MS_PER_SECOND / requestsPerSecond}
  if now - due > ${LATE_MS} then late = late + 1 end
  return math.max(0, math.ceil(due - now))
end
`;
}

/** A text as a Lua literal, with any content. */
function luaText(text: string): string {
  const escaped = [...Buffer.from(text)].map((byte) => `\\${String(byte).padStart(3, '0')}`).join('');
  return `"${escaped}"`;
}
