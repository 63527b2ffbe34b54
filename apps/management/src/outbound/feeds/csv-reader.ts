import { MAX_ROW_CHARACTERS } from './row-builder.js';

/** Of one row: a quoted cell with more has no end. */
const MAX_ROW_LINES = 1_000;
/** For each line of the table so many are read again: one whose lines all open a quote would be read a thousand times. */
const AGAIN_PER_LINE = 8;

export interface CsvRow {
  readonly cells: readonly string[];
  /** A quote of it is not closed: it is its first line alone. */
  readonly isBroken: boolean;
}

/**
 * Reads a table line by line (RFC 4180). A quote in the middle of a cell is text. A quoted cell may have several lines; a quote that
 * is not closed takes no other row with it, because the lines behind it are read again, each by itself.
 */
export class CsvReader {
  /** Of the row that is read. */
  private lines: string[] = [];
  private characters = 0;
  private cells: string[] = [];
  /** Of its quoted cell that goes on, line by line. */
  private open: string[] | undefined;
  private mayGoOn = true;
  /** Lines that may be read again; while there are none, no cell has several lines. */
  private again = AGAIN_PER_LINE * MAX_ROW_LINES;

  constructor(private readonly delimiter: ',' | '\t') {}

  /** @returns the rows that end with this line */
  take(line: string): readonly CsvRow[] {
    this.again = Math.min(this.again + AGAIN_PER_LINE, AGAIN_PER_LINE * MAX_ROW_LINES);
    return this.read([line]);
  }

  /** @param waiting the next one last */
  private read(waiting: string[]): readonly CsvRow[] {
    const rows: CsvRow[] = [];
    // Terminates: a broken row keeps a line.
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const state = this.add(next);
      if (state === 'whole') rows.push(this.finish(false));
      else if (state === 'broken') rows.push(this.breakOff(waiting));
    }
    return rows;
  }

  /** @returns the rows that have no end */
  end(): readonly CsvRow[] {
    const rows: CsvRow[] = [];
    while (this.lines.length > 0) {
      const waiting: string[] = [];
      rows.push(this.breakOff(waiting), ...this.read(waiting));
    }
    return rows;
  }

  private add(line: string): 'broken' | 'open' | 'whole' {
    if (this.lines.length === 0 && line.trim() === '') return 'open';
    this.lines.push(line);
    this.characters += line.length;
    let at = 0;
    while (at <= line.length) {
      const isQuoted = this.open !== undefined || line[at] === '"';
      const end = isQuoted ? this.addQuoted(line, at) : this.addPlain(line, at, at);
      if (typeof end === 'string') return end;
      at = end + 1;
    }
    return 'whole';
  }

  /** @returns where the cell ends */
  private addPlain(line: string, at: number, from: number): number {
    const found = line.indexOf(this.delimiter, from);
    const end = found === -1 ? line.length : found;
    this.cells.push(line.slice(at, end));
    return end;
  }

  private addQuoted(line: string, at: number): number | 'broken' | 'open' {
    const before = this.open;
    const from = before === undefined ? at + 1 : at;
    const close = closingQuote(line, from);
    if (close === -1) {
      if (!this.mayGoOn) return this.addPlain(line, at, at);
      this.open = before ?? [];
      this.open.push(line.slice(from));
      const isTooLong = this.lines.length > MAX_ROW_LINES || this.characters > MAX_ROW_CHARACTERS;
      return isTooLong || this.again <= 0 ? 'broken' : 'open';
    }
    const isEnd = close + 1 === line.length || line[close + 1] === this.delimiter;
    // A cell with text behind its quotes is no quoted one.
    if (!isEnd) return before === undefined ? this.addPlain(line, at, close) : 'broken';
    const parts = [...(before ?? []), line.slice(from, close)];
    // Nobody writes tabs into a text of several lines: they are those of other rows.
    if (before !== undefined && this.delimiter === '\t' && parts.some((part) => part.includes('\t')))
      return 'broken';
    this.cells.push(parts.join('\n').replaceAll('""', '"'));
    this.open = undefined;
    return close + 1;
  }

  private finish(isBroken: boolean): CsvRow {
    const { cells } = this;
    [this.lines, this.characters, this.cells, this.open] = [[], 0, [], undefined];
    return { cells, isBroken };
  }

  /** @param waiting gets the lines behind the first one, the next one last */
  private breakOff(waiting: string[]): CsvRow {
    const [first = '', ...behind] = this.lines;
    waiting.push(...behind.reverse());
    this.finish(true);
    this.mayGoOn = false;
    this.add(first);
    this.mayGoOn = true;
    this.again -= behind.length;
    return this.finish(true);
  }
}

/** Two quotes are one of the text. */
function closingQuote(line: string, from: number): number {
  let at = line.indexOf('"', from);
  while (at !== -1 && line[at + 1] === '"') at = line.indexOf('"', at + 2);
  return at;
}
