/** Why a body is not a list of rows: `no-…` for JSON of another form, whose rest is not read. */
export type JsonFault =
  | 'blank'
  | 'duplicate-member'
  | 'no-list'
  | 'no-object'
  | 'no-rows'
  | 'syntax'
  | 'too-long'
  | 'unknown-member';

const MAX_ROW_CHARACTERS = 64 * 1024;
/** White space between two rows, and around the list. Compressed, it would cost its sender nothing. */
const MAX_BLANK_CHARACTERS = 64 * 1024;
const WHITESPACE = /[ \t\r\n]/;
/** What a value of JSON may begin with. */
const BEGINNING = /["{[tfn\d-]/;
const IN_STRING = /["\\]/g;
const OUTSIDE_STRINGS = /["{}[\],]/g;

type Place =
  'start' | 'next-member' | 'member' | 'colon' | 'array' | 'item' | 'behind-item' | 'behind-array' | 'end';

/**
 * Splits `{ "rows": [ … ] }` into the texts of its rows while the body arrives, so that it is never in memory
 * as a whole. Each text is then parsed by the same strict reader as any body: no digit of a number is lost.
 */
export class JsonRows {
  private place: Place = 'start';
  /** The current member name or row. */
  private text = '';
  private depth = 0;
  private inString = false;
  private isEscaped = false;
  private isFirst = true;
  private hasRows = false;
  /** White space since the last character outside of rows that was none. */
  private blank = 0;

  /** @returns the rows that end in this piece, or why the body is invalid */
  push(piece: string): readonly string[] | JsonFault {
    const rows: string[] = [];
    for (
      let at = this.keepUntilDeciding(piece, 0);
      at < piece.length;
      at = this.keepUntilDeciding(piece, at + 1)
    ) {
      const fault = this.take(piece.charAt(at), rows);
      if (fault !== undefined) return fault;
    }
    return this.text.length > MAX_ROW_CHARACTERS ? 'too-long' : rows;
  }

  /** Whether the body was complete. */
  isWhole(): boolean {
    return this.place === 'end';
  }

  /** The name, as it was sent, of the member that is unknown. */
  get unknownMember(): string {
    return this.text;
  }

  /** Most characters of a row decide nothing: one by one they would cost several times as much. @returns the place of the next that may */
  private keepUntilDeciding(piece: string, from: number): number {
    if (this.place !== 'item' || this.isEscaped) return from;
    const deciding = this.inString ? IN_STRING : OUTSIDE_STRINGS;
    deciding.lastIndex = from;
    const found = deciding.exec(piece);
    const next = found === null ? piece.length : found.index;
    this.text += piece.slice(from, next);
    return next;
  }

  private take(character: string, rows: string[]): JsonFault | undefined {
    if (this.place === 'item' || this.place === 'member') return this.cut(character, rows);
    if (WHITESPACE.test(character)) {
      this.blank += 1;
      return this.blank > MAX_BLANK_CHARACTERS ? 'blank' : undefined;
    }
    this.blank = 0;
    switch (this.place) {
      case 'start':
        if (character === '{') return this.go('next-member');
        return BEGINNING.test(character) ? 'no-object' : 'syntax';
      case 'next-member':
        if (character === '"') return this.begin('member', '"');
        return character === '}' && !this.hasRows ? 'no-rows' : 'syntax';
      case 'colon':
        return character === ':' ? this.go('array') : 'syntax';
      case 'array':
        if (character === '[') return this.go('behind-item');
        return BEGINNING.test(character) ? 'no-list' : 'syntax';
      case 'behind-item':
        return this.takeBehindItem(character);
      case 'behind-array':
        if (character === ',') return this.go('next-member');
        return character === '}' ? this.go('end') : 'syntax';
      case 'end':
        return 'syntax';
    }
  }

  private takeBehindItem(character: string): JsonFault | undefined {
    if (character === ']') {
      // A comma before it would have started a row.
      this.hasRows = true;
      return this.go('behind-array');
    }
    if (this.isFirst) {
      this.isFirst = false;
      return this.begin('item', character);
    }
    return character === ',' ? this.begin('item', '') : 'syntax';
  }

  private cut(character: string, rows: string[]): JsonFault | undefined {
    if (
      this.place === 'item' &&
      !this.inString &&
      this.depth === 0 &&
      (character === ',' || character === ']')
    ) {
      rows.push(this.text);
      this.text = '';
      this.place = 'behind-item';
      return this.takeBehindItem(character);
    }
    this.text += character;
    if (this.text.length > MAX_ROW_CHARACTERS) return 'too-long';
    this.follow(character);
    if (this.place === 'member' && !this.inString) {
      if (this.text !== '"rows"') return 'unknown-member';
      return this.hasRows ? 'duplicate-member' : this.go('colon');
    }
    return this.depth < 0 ? 'syntax' : undefined;
  }

  private follow(character: string): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (this.inString && character === '\\') this.isEscaped = true;
    else if (character === '"') this.inString = !this.inString;
    else if (this.inString) return;
    else if (character === '{' || character === '[') this.depth += 1;
    else if (character === '}' || character === ']') this.depth -= 1;
  }

  private begin(place: Place, character: string): undefined {
    this.place = place;
    this.text = character;
    this.depth = 0;
    this.inString = false;
    if (character !== '') this.follow(character);
  }

  private go(place: Place): undefined {
    this.place = place;
    this.text = '';
  }
}
