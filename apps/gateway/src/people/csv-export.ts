import { once } from 'node:events';
import type { Failure, Result } from '@truetally/kernel';
import type { MemberDirectory } from '../credentials/member-directory.js';
import { refusalOf } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import { beginDownload, refuse, refuseAs } from '../http/respond.js';
import { BodyBudget } from '../http/shares.js';

/** What an export consists of: its rows, some at a time. */
export interface CsvExport {
  readonly filename: string;
  readonly header: () => Promise<Result<string, Failure>>;
  /** @param cursor of the rows before; null at first */
  readonly rows: (cursor: string | null) => Promise<Result<CsvRows, Failure>>;
}

export interface CsvRows {
  readonly text: string;
  readonly nextCursor: string | null;
}

/** Each holds a page at a time, and asks for one after the other. */
const EXPORTS_AT_ONCE = 20;
/** Of a workspace, and of a person with all of its workspaces; fewer when most are taken. */
const EXPORTS_OF_A_HOLDER = 4;
/** A reader without progress for this time is considered disconnected. */
const SILENCE_TIMEOUT_MS = 10_000;
const EXPORT_TIMEOUT_MS = 300_000;

/** Streams tables of any length: the memory of one page, at the speed of the reader. */
export class CsvExporter {
  private readonly places = new BodyBudget(EXPORTS_AT_ONCE, EXPORTS_OF_A_HOLDER);

  constructor(private readonly members: Pick<MemberDirectory, 'admits' | 'holdersOf'>) {}

  /** Resolves when everything is written, the reader is gone, or the time is over. */
  async send(exchange: Exchange, table: CsvExport): Promise<void> {
    const caller = exchange.callerWithLimit();
    const holders = this.members.holdersOf(caller);
    const timer = setTimeout(() => exchange.outgoing.destroy(), EXPORT_TIMEOUT_MS);
    try {
      if (!this.places.take(holders, 1)) return refuse(exchange, 'unavailable');
      await write(exchange, table, () => this.members.admits(caller));
    } finally {
      clearTimeout(timer);
      this.places.release(holders, 1);
    }
  }
}

/** @param mayRead whether the reader may have more */
async function write(
  exchange: Exchange,
  { filename, header, rows }: CsvExport,
  mayRead: () => boolean,
): Promise<void> {
  const head = await header();
  if (!head.ok) return refuseAs(exchange, refusalOf(head.error), head.error.details);
  const first = await rows(null);
  if (!first.ok) return refuseAs(exchange, refusalOf(first.error), first.error.details);
  const { outgoing: response } = exchange;
  if (!beginDownload(exchange, { contentType: 'text/csv; charset=utf-8', filename })) return;
  response.setTimeout(SILENCE_TIMEOUT_MS, () => response.destroy());
  let { text, nextCursor } = first.value;
  response.write(head.value);
  while (await written(exchange, text)) {
    if (nextCursor === null) return void response.end();
    // A started answer can no longer be refused: its reader sees that it is cut off.
    if (!mayRead()) return void response.destroy();
    const next = await rows(nextCursor);
    if (!next.ok) return void response.destroy();
    ({ text, nextCursor } = next.value);
  }
}

/** @returns whether the reader is still there, once it has taken enough */
async function written({ outgoing: response }: Exchange, text: string): Promise<boolean> {
  if (response.destroyed) return false;
  if (response.write(text)) return true;
  const waiting = new AbortController();
  const { signal } = waiting;
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  // Takes the listener off that waits still: there would be one for each page.
  waiting.abort();
  return !response.destroyed;
}
