import { SETTLEMENT_FIELD_CHARACTERS } from '@truetally/contracts/publisher';

/** One line of a CSV file. */
export interface CsvRecord {
  /** Its first `MAX_COLUMNS` cells; `OVERLONG` in place of those that no field could take. */
  readonly cells: readonly string[];
  /** Number of its cells. */
  readonly width: number;
}

/** Why a file cannot be read any further. */
export type CsvFault = 'blank' | 'too-long';

/** No network's export has a third as many. */
export const MAX_COLUMNS = 200;
/** A record with more text is none: mostly a quote is not closed. */
const MAX_RECORD_UNITS = 64 * 1024;
/** Each character of the longest field has at most two units. */
const KEPT_UNITS = 2 * Math.max(...Object.values(SETTLEMENT_FIELD_CHARACTERS));
/** Replaces a longer cell: its own beginning, trimmed, could be a valid value. */
const OVERLONG = '\ufffd'.repeat(KEPT_UNITS + 1);

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/**
 * Splits a CSV text into its records while it arrives, and keeps of a record only what its fields can need,
 * whatever the text contains. Line ends are CRLF, LF or CR; empty lines are no records. A quote inside of an
 * unquoted cell is a character, and so are both quotes of a cell that continues behind its closing one.
 */
export class CsvRecords {
  private readonly delimiter: number;
  private cells: string[] = [];
  private width = 0;
  private cell = '';
  private units = 0;
  private isBegun = false;
  private place: 'bare' | 'quoted' | 'behind-quote' = 'bare';
  private isBehindReturn = false;

  /** @param delimiter one character */
  constructor(delimiter: string) {
    this.delimiter = delimiter.charCodeAt(0);
  }

  /** @returns the records that end in this text, or why there can be no further ones */
  push(text: string): readonly CsvRecord[] | CsvFault {
    const records: CsvRecord[] = [];
    let from = 0;
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      this.units += 1;
      if (this.units > MAX_RECORD_UNITS) return this.isBegun ? 'too-long' : 'blank';
      if (unit === LINE_FEED && this.isBehindReturn) from = at + 1;
      else if (this.takes(unit, at > from)) {
        this.keep(text, from, at);
        from = at + 1;
        this.end(unit, records);
      }
      this.isBehindReturn = unit === RETURN && this.place === 'bare' && from === at + 1;
    }
    this.keep(text, from, text.length);
    return records;
  }

  /** The record that the text's end ends; undefined without one, and `too-long` for a quote that is open. */
  finish(): CsvRecord | CsvFault | undefined {
    if (this.place === 'quoted') return 'too-long';
    const records: CsvRecord[] = [];
    this.end(LINE_FEED, records);
    return records[0];
  }

  /** Whether the character is none of its cell's text. */
  private takes(unit: number, hasText: boolean): boolean {
    if (this.place === 'quoted') return unit === QUOTE;
    if (unit === this.delimiter || unit === LINE_FEED || unit === RETURN) return true;
    if (unit === QUOTE) return this.place === 'behind-quote' || (this.cell === '' && !hasText);
    if (this.place === 'behind-quote') this.reopen();
    this.isBegun = true;
    return false;
  }

  /** A quoted cell that continues behind its quote was none. */
  private reopen(): void {
    this.place = 'bare';
    this.cell = this.cut(`"${this.cell}"`);
  }

  private keep(text: string, from: number, to: number): void {
    if (to > from && this.cell !== OVERLONG) this.cell = this.cut(this.cell + text.slice(from, to));
  }

  private cut(text: string): string {
    return text.length > KEPT_UNITS ? OVERLONG : text;
  }

  /** Ends a quoted part, a cell or a record. */
  private end(unit: number, records: CsvRecord[]): void {
    if (unit === QUOTE) return this.quote();
    if (unit !== this.delimiter && !this.isBegun) return;
    this.isBegun = true;
    this.place = 'bare';
    this.width += 1;
    if (this.width <= MAX_COLUMNS) this.cells.push(this.cell);
    this.cell = '';
    if (unit === this.delimiter) return;
    records.push({ cells: this.cells, width: this.width });
    this.cells = [];
    this.width = 0;
    this.units = 0;
    this.isBegun = false;
  }

  private quote(): void {
    this.isBegun = true;
    if (this.place === 'behind-quote') this.cell = this.cut(`${this.cell}"`);
    this.place = this.place === 'quoted' ? 'behind-quote' : 'quoted';
  }
}
