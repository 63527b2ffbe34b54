import type { LoadResult } from './load.js';
import { load } from './measure.js';
import type { Payload } from './payload.js';
import { inEventsPerSecond, type Row } from './report.js';

/** Where the running product is, and what opens it. */
export interface Target {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** A key whose hour is used up. */
  readonly exhaustedKey: string;
}

export interface Floors {
  readonly echoPerSecond: number;
  readonly insertRowsPerSecond: number;
}

/** How long each measurement loads the product. */
export interface Durations {
  readonly warmUpSeconds: number;
  readonly measureSeconds: number;
}

const HIGH_CONNECTIONS = 256;
const BATCH_CONNECTIONS = 16;
/** Enough requests for some seconds, few enough that the second pass finds them all stored. */
const REPLAYED_SINGLES = 20_000;
const REPLAYED_BATCHES = 2_000;

let runs = 0;
/** No two runs share an id, so that every event of a run is new. */
export const freshPrefix = (): string => `bench-${process.pid}-${Date.now().toString(36)}-${runs++}`;

export async function echoFloor(port: number, { measureSeconds }: Durations): Promise<number> {
  const result = await load({
    url: `http://127.0.0.1:${port}/`,
    headers: {},
    connections: HIGH_CONNECTIONS,
    seconds: measureSeconds,
    payload: { kind: 'events', eventsPerRequest: 1, idPrefix: freshPrefix() },
  });
  return result.requestsPerSecond;
}

export async function warmUp(target: Target, { warmUpSeconds }: Durations): Promise<void> {
  await send(target, 1, HIGH_CONNECTIONS, { seconds: warmUpSeconds });
  await send(target, 50, BATCH_CONNECTIONS, { seconds: warmUpSeconds });
}

export async function singles(target: Target, floors: Floors, { measureSeconds }: Durations): Promise<Row[]> {
  const result = await send(target, 1, HIGH_CONNECTIONS, { seconds: measureSeconds });
  expectOnly(result, ['201']);
  const ratio = result.eventsPerSecond / floors.echoPerSecond;
  return [
    rate('single events, 256 connections', result, ratio, 0.25),
    {
      name: '— p99 latency',
      figure: `${result.latencyMs.p99} ms`,
      target: '≤ 100 ms',
      isMet: result.latencyMs.p99 <= 100,
    },
  ];
}

export async function oneConnection(target: Target, { measureSeconds }: Durations): Promise<Row[]> {
  const result = await send(target, 1, 1, { seconds: measureSeconds });
  expectOnly(result, ['201']);
  return [
    {
      name: 'single events, one connection: p50 latency',
      figure: `${result.latencyMs.p50} ms (p99 ${result.latencyMs.p99} ms)`,
      target: '≤ 10 ms',
      isMet: result.latencyMs.p50 <= 10,
    },
  ];
}

export async function batches(target: Target, floors: Floors, { measureSeconds }: Durations): Promise<Row[]> {
  const fifty = await send(target, 50, BATCH_CONNECTIONS, { seconds: measureSeconds });
  expectOnly(fifty, ['201']);
  const hundred = await send(target, 100, BATCH_CONNECTIONS, { seconds: measureSeconds });
  expectOnly(hundred, ['201']);
  return [
    rate('batches of 50, 16 connections', fifty, fifty.eventsPerSecond / floors.echoPerSecond, 1.0),
    rate('batches of 100, 16 connections', hundred, hundred.eventsPerSecond / floors.echoPerSecond, 1.3),
    {
      name: '— batches of 100 against the raw insert',
      figure: inEventsPerSecond(hundred.eventsPerSecond),
      ratio: hundred.eventsPerSecond / floors.insertRowsPerSecond,
    },
  ];
}

/** The same requests twice: first every event is new, then every one is a duplicate. */
export async function duplicates(target: Target): Promise<Row[]> {
  const single = await twice(target, 1, HIGH_CONNECTIONS, REPLAYED_SINGLES);
  const batch = await twice(target, 50, BATCH_CONNECTIONS, REPLAYED_BATCHES);
  expectOnly(single.second, ['200']);
  return [
    compared('duplicates of single events against new ones', single),
    compared('duplicates in batches of 50 against new ones', batch),
  ];
}

export async function refusals(
  target: Target,
  floors: Floors,
  { measureSeconds }: Durations,
): Promise<Row[]> {
  const result = await send({ ...target, apiKey: target.exhaustedKey }, 1, HIGH_CONNECTIONS, {
    seconds: measureSeconds,
  });
  expectOnly(result, ['429']);
  return [
    rate('429 answers, 256 connections', result, result.requestsPerSecond / floors.echoPerSecond, 0.35),
  ];
}

export function send(
  target: Target,
  eventsPerRequest: number,
  connections: number,
  extent: { readonly seconds: number } | { readonly amount: number; readonly payload: Payload },
): Promise<LoadResult> {
  return load({
    url: `${target.baseUrl}/events/${eventsPerRequest === 1 ? 'track' : 'batch'}`,
    headers: { 'x-api-key': target.apiKey },
    connections,
    payload: { kind: 'events', eventsPerRequest, idPrefix: freshPrefix() },
    ...extent,
  });
}

async function twice(target: Target, eventsPerRequest: number, connections: number, amount: number) {
  const payload: Payload = {
    kind: 'events',
    eventsPerRequest,
    idPrefix: freshPrefix(),
    distinctRequests: amount,
  };
  const first = await send(target, eventsPerRequest, connections, { amount, payload });
  const second = await send(target, eventsPerRequest, connections, { amount, payload });
  return { first, second };
}

function compared(name: string, { first, second }: { first: LoadResult; second: LoadResult }): Row {
  const ratio = second.eventsPerSecond / first.eventsPerSecond;
  return {
    name,
    figure: `${inEventsPerSecond(second.eventsPerSecond)} against ${inEventsPerSecond(first.eventsPerSecond)}`,
    ratio,
    target: '≥ 1.00',
    isMet: ratio >= 1,
  };
}

function rate(name: string, result: LoadResult, ratio: number, atLeast: number): Row {
  return {
    name,
    figure: inEventsPerSecond(result.eventsPerSecond),
    ratio,
    target: `≥ ${atLeast.toFixed(2)}`,
    isMet: ratio >= atLeast,
  };
}

/** A figure over answers of the wrong kind would be a lie. */
export function expectOnly(result: LoadResult, statuses: readonly string[]): void {
  const others = Object.keys(result.statuses).filter((status) => !statuses.includes(status));
  if (others.length > 0 || result.errors > 0) {
    throw new Error(
      `Expected only ${statuses.join(', ')}; got ${JSON.stringify(result.statuses)} and ${result.errors} errors.`,
    );
  }
}
