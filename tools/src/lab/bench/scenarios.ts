import type { LoadResult } from './load-job.js';
import { kafkaRequests } from './kafka-requests.js';
import { type Child, load } from './measure.js';
import type { Payload } from './payload.js';
import { costOfEach, processorTime } from './processor-time.js';
import { inEventsPerSecond, type Row } from './report.js';

/** Address and credentials of the running product. */
export interface Target {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** A key whose hourly limit is used up. */
  readonly exhaustedKey: string;
  /** Process ids of the product and its servers, by name. */
  readonly processes: () => Readonly<Record<string, number>>;
  /** The operations port of each service. */
  readonly operations: () => Readonly<Record<string, number>>;
  /** Resolves when everybody who follows events has read them, and Postgres has vacuumed what was stored. */
  readonly allIsDone: () => Promise<void>;
  /** The same, and nothing of it is left that Postgres could do by itself during the next measurement. */
  readonly allIsSettled: () => Promise<void>;
}

export interface Floors {
  readonly echoPerSecond: number;
  /** Processor time of the echo process per request. */
  readonly echoMicroseconds: number;
  readonly insertRowsPerSecond: number;
}

/** How long each measurement loads the product. */
export interface Durations {
  readonly warmUpSeconds: number;
  readonly measureSeconds: number;
}

/** Rows of a closed loop, and the rate that it reached. */
export interface Peak {
  readonly rows: readonly Row[];
  readonly requestsPerSecond: number;
}

const PERCENT = 100;
const HIGH_CONNECTIONS = 256;
const BATCH_CONNECTIONS = 16;
/** Of the peak that the same run has measured. */
const SHARE_OF_PEAK = 0.8;
const MOST_MS_AT_SHARE = 50;
/** At an even rate a connection must be free at each moment. */
const SPARE = 2;
/** Enough requests for some seconds, few enough that the second pass finds them all stored. */
const REPLAYED_SINGLES = 20_000;
const REPLAYED_BATCHES = 2_000;

let runs = 0;
/** No two runs share an id, so that every event of a run is new. */
export const freshPrefix = (): string => `bench-${process.pid}-${Date.now().toString(36)}-${runs++}`;

export async function echoFloor(
  { port, process: { pid = 0 } }: Child,
  { measureSeconds }: Durations,
): Promise<Pick<Floors, 'echoPerSecond' | 'echoMicroseconds'>> {
  const { result, spent } = await processorTime({ echo: pid }, () =>
    load({
      url: `http://127.0.0.1:${port}/`,
      headers: {},
      connections: HIGH_CONNECTIONS,
      seconds: measureSeconds,
      payload: { kind: 'events', eventsPerRequest: 1, idPrefix: freshPrefix() },
    }),
  );
  return { echoPerSecond: result.requestsPerSecond, echoMicroseconds: (spent['echo'] ?? 0) / result.sent };
}

export async function warmUp(target: Target, { warmUpSeconds }: Durations): Promise<void> {
  await send(target, 1, HIGH_CONNECTIONS, { seconds: warmUpSeconds });
  await send(target, 50, BATCH_CONNECTIONS, { seconds: warmUpSeconds });
}

export async function singles(target: Target, floors: Floors, { measureSeconds }: Durations): Promise<Peak> {
  const { result, cost, requests } = await costing(target, floors, 5, () =>
    send(target, 1, HIGH_CONNECTIONS, { seconds: measureSeconds }),
  );
  const rows = [
    rate('single events, 256 connections', result, result.eventsPerSecond / floors.echoPerSecond),
    {
      name: '— p99 latency',
      figure: `${result.latencyMs.p99} ms`,
      target: '≤ 60 ms',
      isMet: result.latencyMs.p99 <= 60,
    },
    cost,
    requests,
  ];
  return { rows, requestsPerSecond: result.requestsPerSecond };
}

export async function oneConnection(target: Target, { measureSeconds }: Durations): Promise<Row[]> {
  const result = await send(target, 1, 1, { seconds: measureSeconds });
  expectOnly(result, ['201']);
  return [
    {
      name: 'single events, one connection: p50 latency',
      figure: `${result.latencyMs.p50} ms (p99 ${result.latencyMs.p99} ms)`,
      target: '≤ 3 ms',
      isMet: result.latencyMs.p50 <= 3,
    },
  ];
}

export async function batches(target: Target, floors: Floors, { measureSeconds }: Durations): Promise<Peak> {
  const batch = (events: number, atMost: number) =>
    costing(target, floors, atMost, () =>
      send(target, events, BATCH_CONNECTIONS, { seconds: measureSeconds }),
    );
  const fifty = await batch(50, 1.8);
  const hundred = await batch(100, 1.5);
  const rows = [
    rate('batches of 50, 16 connections', fifty.result, fifty.result.eventsPerSecond / floors.echoPerSecond),
    fifty.cost,
    fifty.requests,
    rate(
      'batches of 100, 16 connections',
      hundred.result,
      hundred.result.eventsPerSecond / floors.echoPerSecond,
    ),
    hundred.cost,
    hundred.requests,
    {
      name: '— batches of 100 against the raw insert',
      figure: inEventsPerSecond(hundred.result.eventsPerSecond),
      ratio: hundred.result.eventsPerSecond / floors.insertRowsPerSecond,
    },
  ];
  return { rows, requestsPerSecond: fifty.result.requestsPerSecond };
}

/** Closed loops hide what a moment costs whatever it carries, and who waits; at a fixed rate both are seen. */
export async function fixedRates(
  target: Target,
  floors: Floors,
  { measureSeconds }: Durations,
  peaks: { readonly singles: Peak; readonly batches: Peak },
): Promise<Row[]> {
  const rows: Row[] = [];
  const loads = [
    { name: 'single events', events: 1, connections: HIGH_CONNECTIONS, peak: peaks.singles },
    { name: 'batches of 50', events: 50, connections: BATCH_CONNECTIONS, peak: peaks.batches },
  ];
  for (const { name, events, connections, peak } of loads) {
    const requestsPerSecond = Math.round(SHARE_OF_PEAK * peak.requestsPerSecond);
    const { result, cost, requests } = await costing(target, floors, undefined, () =>
      send(target, events, SPARE * connections, { seconds: measureSeconds, requestsPerSecond }),
    );
    const { p50, p99 } = result.latencyMs;
    const late = `${((result.lateShare ?? 0) * PERCENT).toFixed(1)} % late`;
    rows.push(
      {
        name: `${name} at 80 % of the peak, ${requestsPerSecond.toLocaleString('en')} requests/s`,
        figure: `${inEventsPerSecond(result.eventsPerSecond)}, p50 ${p50} ms, p99 ${p99} ms, ${late}`,
        ...(events === 1 && { target: `p99 ≤ ${MOST_MS_AT_SHARE} ms`, isMet: p99 <= MOST_MS_AT_SHARE }),
      },
      cost,
      requests,
    );
  }
  return rows;
}

/**
 * New events only, and the processor time of every process per event, until all who follow have read them and they are vacuumed: in
 * total, and relative to an echo request.
 */
async function costing(
  target: Target,
  { echoMicroseconds }: Floors,
  atMost: number | undefined,
  sendNew: () => Promise<LoadResult>,
): Promise<{ readonly result: LoadResult; readonly cost: Row; readonly requests: Row }> {
  await target.allIsSettled();
  const spending = await processorTime(target.processes(), async () => {
    const sent = await kafkaRequests(target.operations(), sendNew);
    await target.allIsDone();
    return sent;
  });
  const { result, requests } = spending.result;
  expectOnly(result, ['201']);
  const events = (result.sent * result.eventsPerSecond) / result.requestsPerSecond;
  const { microseconds, figure } = costOfEach(spending, events);
  const ratio = microseconds / echoMicroseconds;
  return {
    result,
    requests,
    cost: {
      name: '— processor time an event, in echo requests',
      figure,
      ratio,
      ...(atMost !== undefined && { target: `≤ ${atMost.toFixed(2)}`, isMet: ratio <= atMost }),
    },
  };
}

/** The same requests twice: first every event is new, then every one is a duplicate. */
export async function duplicates(target: Target): Promise<Row[]> {
  const single = await twice(target, 1, HIGH_CONNECTIONS, REPLAYED_SINGLES);
  const batch = await twice(target, 50, BATCH_CONNECTIONS, REPLAYED_BATCHES);
  expectOnly(single.second.result, ['200']);
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
  // Its one request of an hour is admitted where another hour begins meanwhile.
  const { 201: admitted = 0, ...refused } = result.statuses;
  expectOnly(admitted === 1 ? { ...result, statuses: refused } : result, ['429']);
  return [rate('429 answers, 256 connections', result, result.requestsPerSecond / floors.echoPerSecond)];
}

export function send(
  target: Pick<Target, 'baseUrl' | 'apiKey'>,
  eventsPerRequest: number,
  connections: number,
  extent:
    | { readonly seconds: number; readonly requestsPerSecond?: number; readonly withoutWrk?: boolean }
    | { readonly amount: number; readonly payload: Payload },
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
  const pass = async (): Promise<Pass> => {
    await target.allIsSettled();
    const { result, inAll } = await processorTime(target.processes(), async () => {
      const sent = await send(target, eventsPerRequest, connections, { amount, payload });
      await target.allIsDone();
      return sent;
    });
    return { result, microseconds: inAll / (amount * eventsPerRequest) };
  };
  return { first: await pass(), second: await pass() };
}

/** One pass over the same requests. */
interface Pass {
  readonly result: LoadResult;
  /** Processor time of all processes per event. */
  readonly microseconds: number;
}

function compared(name: string, { first, second }: { readonly first: Pass; readonly second: Pass }): Row {
  const ratio = second.microseconds / first.microseconds;
  const described = ({ result, microseconds }: Pass): string =>
    `${microseconds.toFixed(1)} µs an event (${inEventsPerSecond(result.eventsPerSecond)})`;
  return {
    name,
    figure: `${described(second)} against ${described(first)}`,
    ratio,
    target: '≤ 1.00',
    isMet: ratio <= 1,
  };
}

function rate(name: string, result: LoadResult, ratio: number): Row {
  return { name, figure: inEventsPerSecond(result.eventsPerSecond), ratio };
}

/** Unexpected answers would make the figures wrong. */
export function expectOnly(result: LoadResult, statuses: readonly string[]): void {
  const others = Object.keys(result.statuses).filter((status) => !statuses.includes(status));
  if (others.length > 0 || result.errors > 0) {
    throw new Error(
      `Expected only ${statuses.join(', ')}; got ${JSON.stringify(result.statuses)} and ${result.errors} errors.`,
    );
  }
}
