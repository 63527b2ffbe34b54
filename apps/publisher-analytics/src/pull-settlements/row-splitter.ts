/** Why a text is not split any further: it is not what the network documents. */
export type SplitFault = 'foreign';

/** Of a row, and of everything around the rows. */
const MAX_CHARACTERS = 64 * 1024;
const MAX_NAME_CHARACTERS = 100;

/**
 * Splits the JSON text of a network's answer into its rows as it arrives, in one pass, so that no more than a row is in
 * memory. Rows are the objects of one array; what is around it stays as a text with an empty array in its place.
 * Brackets and quotes alone are read: whoever parses a row or the rest checks the rest of the syntax.
 */
export class RowSplitter {
  fault: SplitFault | undefined;
  private around = '';
  private row = '';
  private place: 'around' | 'between' | 'row' = 'around';
  private isInString = false;
  private isEscaped = false;
  private depth = 0;
  /** Open objects, from the outermost, whose names are those of the path. */
  private depthOnPath = 0;
  /** The last string outside of the rows: before a value, its name. */
  private name = '';
  private mayBeginRow = true;
  private mayEndRows = true;

  /** @param path the names that lead to the array; none for an answer that is the array */
  constructor(private readonly path: readonly string[]) {}

  /** @returns the texts of the rows that are whole now; none after a fault */
  push(text: string): readonly string[] {
    const rows: string[] = [];
    let from = 0;
    for (let index = 0; index < text.length && this.fault === undefined; index += 1) {
      const code = text.charCodeAt(index);
      if (this.place === 'between') {
        this.between(code);
        from = this.isOf('between') ? index + 1 : index;
        continue;
      }
      const isEnd = this.place === 'row' ? this.inRow(code) : this.outside(code);
      if (!isEnd) continue;
      this.keep(text.slice(from, index + 1));
      from = index + 1;
      if (this.isOf('row')) {
        rows.push(this.row);
        this.row = '';
      }
      this.place = 'between';
    }
    if (this.fault === undefined && this.place !== 'between') this.keep(text.slice(from));
    return this.fault === undefined ? rows : [];
  }

  /** What is around the rows; call it at the end of the text. */
  rest(): string {
    return this.around;
  }

  private isOf(place: 'around' | 'between' | 'row'): boolean {
    return this.place === place;
  }

  private keep(text: string): void {
    if (this.place === 'row') this.row += text;
    else this.around += text;
    if (this.row.length > MAX_CHARACTERS || this.around.length > MAX_CHARACTERS) this.fault = 'foreign';
  }

  /** Between two rows; the character that leaves this place belongs to the next one. */
  private between(code: number): void {
    if (code === OPEN_BRACE && this.mayBeginRow) {
      [this.place, this.depth] = ['row', 1];
      [this.mayBeginRow, this.mayEndRows] = [false, true];
    } else if (code === COMMA && !this.mayBeginRow) {
      [this.mayBeginRow, this.mayEndRows] = [true, false];
    } else if (code === CLOSE_BRACKET && this.mayEndRows) {
      [this.place, this.depth] = ['around', this.path.length];
    } else if (!isBlank(code)) {
      this.fault = 'foreign';
    }
  }

  /** @returns whether the row ends with this character */
  private inRow(code: number): boolean {
    if (this.isWithinString(code)) return false;
    if (code === OPEN_BRACE || code === OPEN_BRACKET) this.depth += 1;
    if (code === CLOSE_BRACE || code === CLOSE_BRACKET) this.depth -= 1;
    return this.depth === 0;
  }

  /** @returns whether the rows begin behind this character */
  private outside(code: number): boolean {
    const wasInString = this.isInString;
    if (this.isWithinString(code)) {
      if (!wasInString) this.name = '';
      else if (this.isInString && this.name.length < MAX_NAME_CHARACTERS)
        this.name += String.fromCharCode(code);
      return false;
    }
    if (code === OPEN_BRACKET && this.isOnPath() && this.depth === this.path.length) {
      [this.mayBeginRow, this.mayEndRows] = [true, true];
      return true;
    }
    if (code === OPEN_BRACE && this.isOnPath() && this.depth < this.path.length) this.depthOnPath += 1;
    if (code === OPEN_BRACE || code === OPEN_BRACKET) this.depth += 1;
    if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      this.depth -= 1;
      this.depthOnPath = Math.min(this.depthOnPath, this.depth);
    }
    return false;
  }

  /** Whether the value that begins now is on the path. */
  private isOnPath(): boolean {
    return this.depthOnPath === this.depth && (this.depth === 0 || this.name === this.path[this.depth - 1]);
  }

  /** Whether the character is of a string, with its quotes. */
  private isWithinString(code: number): boolean {
    if (!this.isInString) {
      this.isInString = code === QUOTE;
      return this.isInString;
    }
    if (this.isEscaped) this.isEscaped = false;
    else if (code === BACKSLASH) this.isEscaped = true;
    else if (code === QUOTE) this.isInString = false;
    return true;
  }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
