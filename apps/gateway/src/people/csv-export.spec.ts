import { Writable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { succeed } from '@truetally/kernel';
import { eventually } from '@truetally/testing';
import type { Exchange } from '../http/exchange.js';
import { EdgeHarness, type HarnessRoute } from '../testing/edge-harness.js';
import { CsvExporter, type CsvRows } from './csv-export.js';

const ROUTE: HarnessRoute = {
  method: 'POST',
  path: '/api/v1/events/track',
  credential: 'event-writer',
  knownQuery: new Map(),
  body: { of: [], limitBytes: 1_024, isOptional: false, costOf: () => 1 },
};

/** A reader that takes each piece a moment later. */
class SlowAnswer extends Writable {
  headersSent = false;
  text = '';

  constructor() {
    super({ highWaterMark: 1 });
  }

  override _write(piece: Buffer, _encoding: string, done: () => void): void {
    this.text += piece.toString();
    setImmediate(done);
  }

  writeHead(): void {
    this.headersSent = true;
  }

  setTimeout(): void {
    // This reader is never silent.
  }
}

it('an export of many pages to a slow reader waits for each of them without a trace at the answer', async () => {
  const outgoing = new SlowAnswer();
  let most = 0;
  const rows = (cursor: string | null) => {
    most = Math.max(most, outgoing.listenerCount('close'), outgoing.listenerCount('error'));
    const page = Number(cursor ?? 0);
    return Promise.resolve(succeed({ text: `${page}\n`, nextCursor: page < 30 ? String(page + 1) : null }));
  };
  const exchange = {
    outgoing,
    onAnswered: () => undefined,
    callerWithLimit: () => undefined,
  } as unknown as Exchange;
  await new CsvExporter({ holdersOf: () => ['person'], admits: () => true }).send(exchange, {
    filename: 'rows.csv',
    header: () => Promise.resolve(succeed('n\n')),
    rows,
  });
  expect(outgoing.text.split('\n')).toHaveLength(33);
  expect(most).toBeLessThan(3);
});

it('an export is cut off when its reader is a member no longer', async () => {
  const outgoing = new SlowAnswer();
  let asked = 0;
  const rows = () => {
    asked += 1;
    return Promise.resolve(succeed({ text: `${asked}\n`, nextCursor: 'more' }));
  };
  const exchange = {
    outgoing,
    onAnswered: () => undefined,
    callerWithLimit: () => undefined,
  } as unknown as Exchange;
  await new CsvExporter({ holdersOf: () => ['person'], admits: () => asked < 3 }).send(exchange, {
    filename: 'rows.csv',
    header: () => Promise.resolve(succeed('n\n')),
    rows,
  });
  expect(outgoing.destroyed).toBe(true);
  expect(asked).toBe(3);
});

it('exports of one person leave places for everybody else’s', async () => {
  let holder = 'person';
  let begun = 0;
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const exporter = new CsvExporter({
    holdersOf: () => [`workspace ${begun}`, holder],
    admits: () => true,
  });
  const rows = async () => {
    begun += 1;
    await ended;
    return succeed<CsvRows>({ text: 'a\r\n', nextCursor: null });
  };
  const table = { filename: 'table.csv', header: () => Promise.resolve(succeed('b\r\n')), rows };
  const controller = (exchange: Exchange) => void exporter.send(exchange, table);
  const harness = new EdgeHarness({ routes: [ROUTE], controller, hasLane: false });
  const origin = await harness.open();
  const headers = { 'content-type': 'application/json', 'x-api-key': harness.apiKey(['events:write']) };
  const ask = () => fetch(`${origin}${ROUTE.path}`, { method: 'POST', headers, body: '{}' });
  const ofPerson = Array.from({ length: 4 }, ask);
  await eventually(() => begun === 4);
  expect((await ask()).status).toBe(503);
  holder = 'another';
  const ofAnother = ask();
  await eventually(() => begun === 5);
  end();
  const answers = await Promise.all([...ofPerson, ofAnother]);
  expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(Array(5).fill('b\r\na\r\n'));
  holder = 'person';
  expect((await ask()).status).toBe(200);
  await harness.close();
});
