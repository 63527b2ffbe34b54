import type { RawRow } from '../domain/feed-row.js';
import { csvRows } from './csv-rows.js';
import { feedText } from './feed-text.js';
import { FeedError } from './feed-error.js';
import { xmlRows } from './xml-rows.js';

/** A header that is longer has no line end. */
const MAX_HEADER_CHARACTERS = 65_536;
const MARK = /^\uFEFF/;
/** Above a header, which itself may begin with a tab. */
const BLANK_LINES = /^\s*[\r\n]/;

/**
 * The rows of a feed, in their order, however its bytes arrive.
 * @param bytes not packed
 * @throws FeedError while they are read, for a feed that is none
 */
export async function* readRows(
  bytes: AsyncIterable<Buffer>,
  contentType: string | undefined,
): AsyncGenerator<RawRow> {
  const text = feedText(bytes, contentType);
  let begun = '';
  let isWhole = false;
  // Terminates: the text ends, or grows.
  while (!isWhole && !isTold(begun)) {
    const { done, value } = await text.next();
    if (done === true) isWhole = true;
    else begun = (begun + value).replace(MARK, '');
  }
  const trimmed = begun.trimStart();
  if (trimmed === '') throw new FeedError('The feed is empty.');
  // Only white space may stand before XML, and it may not stand before its declaration.
  if (trimmed.startsWith('<')) return yield* xmlRows(behind(trimmed, text));
  const [header = ''] = trimmed.split(/[\r\n]/, 1);
  yield* csvRows(behind(begun.replace(BLANK_LINES, ''), text), header.includes('\t') ? '\t' : ',');
}

/** Whether the form of the feed is known by its beginning. */
function isTold(begun: string): boolean {
  const trimmed = begun.trimStart();
  if (begun.length > MAX_HEADER_CHARACTERS) return true;
  return trimmed.startsWith('<') || /[\r\n]/.test(trimmed);
}

async function* behind(begun: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield begun;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
