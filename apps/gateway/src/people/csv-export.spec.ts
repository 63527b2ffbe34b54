import { Writable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { succeed } from '@truetally/kernel';
import type { Exchange } from '../http/exchange.js';
import { CsvExporter } from './csv-export.js';

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
  const exchange = { outgoing, onAnswered: () => undefined } as unknown as Exchange;
  await new CsvExporter().send(exchange, {
    filename: 'rows.csv',
    header: () => Promise.resolve(succeed('n\n')),
    rows,
  });
  expect(outgoing.text.split('\n')).toHaveLength(33);
  expect(most).toBeLessThan(3);
});
