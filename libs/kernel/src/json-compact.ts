/** Members whose texts are wanted, as `JSON.stringify` would write them. */
export interface JsonCutRule {
  readonly members: readonly string[];
  /** The member of the whole whose items have them; undefined where the whole itself has them. */
  readonly list?: string;
  /** Nested objects and arrays of such a member; deeper ones are not cut. */
  readonly nesting: number;
  /** The member that is mostly the same object in all items of the list: then it is read once (`JsonRepeats`). */
  readonly repeated?: string;
}

/** A rule as the walk compares it: with names as they are written. */
export class JsonCut {
  readonly members: readonly { readonly name: string; readonly written: string }[];
  readonly list: string | undefined;
  readonly listName: string | undefined;
  readonly nesting: number;
  readonly repeated: { readonly name: string; readonly opening: string } | undefined;

  constructor({ members, list, nesting, repeated }: JsonCutRule) {
    this.members = members.map((name) => ({ name, written: JSON.stringify(name) }));
    this.list = list === undefined ? undefined : JSON.stringify(list);
    this.listName = list;
    this.nesting = nesting;
    this.repeated =
      repeated === undefined ? undefined : { name: repeated, opening: `${JSON.stringify(repeated)}:` };
  }
}

/** Texts of an object's members, by name. */
export type JsonTexts = Readonly<Record<string, string | undefined>>;

/**
 * Walks over a text that `JSON.parse` has accepted. Where it has the form of `JSON.stringify`, members are counted exactly, no number
 * loses a digit, and parts of it are the texts of their values; of any other text this only says that it is another.
 */
export class CompactWalk {
  /** Of all objects, repeated ones included. */
  members = 0;
  /** By place in the list; 0 for the whole. */
  readonly texts: (Record<string, string> | undefined)[] = [];
  private at = 0;
  private isCompact: boolean;
  private readonly cut: JsonCut | undefined;
  /** The deepest level since the last cut began. */
  private deepest = 0;

  constructor(
    private readonly text: string,
    cut: JsonCut | undefined,
  ) {
    this.isCompact = !text.includes('\\');
    this.cut = cut === undefined || BEYOND_LATIN_1.test(text) ? undefined : cut;
  }

  /** @returns whether the text is compact */
  run(): boolean {
    if (!this.isCompact) return false;
    const isCut = this.cut !== undefined && this.cut.list === undefined;
    if (this.text.charCodeAt(0) === OPEN_BRACE) this.object(1, isCut ? 0 : NOWHERE, true);
    else this.value(1);
    return this.isCompact && this.at === this.text.length;
  }

  private value(level: number): void {
    switch (this.text.charCodeAt(this.at)) {
      case QUOTE:
        return this.string();
      case OPEN_BRACE:
        return this.object(level, NOWHERE, false);
      case OPEN_BRACKET:
        return this.array(level, false);
      case LETTER_T:
      case LETTER_N:
        this.at += 4;
        return;
      case LETTER_F:
        this.at += 5;
        return;
      default:
        this.number();
    }
  }

  /** Most are short: looking at each character is faster than a search, which is faster for long ones. */
  private string(): void {
    const { text } = this;
    const near = this.at + 1 + NEAR;
    for (let index = this.at + 1; index < near; index += 1) {
      if (text.charCodeAt(index) !== QUOTE) continue;
      this.at = index + 1;
      return;
    }
    this.at = text.indexOf('"', near) + 1;
  }

  /** @param isCut whether its items have the wanted members */
  private array(level: number, isCut: boolean): void {
    const { text } = this;
    this.enter(level);
    if (text.charCodeAt(this.at) === CLOSE_BRACKET) return void (this.at += 1);
    for (let place = 0; this.isCompact; place += 1) {
      if (isCut && text.charCodeAt(this.at) === OPEN_BRACE) this.object(level + 1, place, false);
      else this.value(level + 1);
      if (this.isAtEnd(CLOSE_BRACKET)) return;
    }
  }

  /** @param place where its members' texts belong */
  private object(level: number, place: number, isWhole: boolean): void {
    const { text } = this;
    this.enter(level);
    if (text.charCodeAt(this.at) === CLOSE_BRACE) return void (this.at += 1);
    while (this.isCompact) {
      const nameAt = this.at;
      // Names that look like numbers come first in an object, wherever they are in its text.
      const first = text.charCodeAt(nameAt + 1);
      if (text.charCodeAt(nameAt) !== QUOTE || (first >= DIGIT_0 && first <= DIGIT_9)) return this.giveUp();
      this.string();
      if (text.charCodeAt(this.at) !== COLON) return this.giveUp();
      this.at += 1;
      this.members += 1;
      if (place !== NOWHERE) this.memberWithText(level, nameAt, place);
      else if (isWhole && this.isList(nameAt)) this.array(level + 1, true);
      else this.value(level + 1);
      if (this.isAtEnd(CLOSE_BRACE)) return;
    }
  }

  private memberWithText(level: number, nameAt: number, place: number): void {
    const start = this.at;
    this.deepest = 0;
    this.value(level + 1);
    if (this.deepest === 0 || this.deepest - level > (this.cut?.nesting ?? 0)) return;
    for (const { name, written } of this.cut?.members ?? []) {
      if (written.length !== start - nameAt - 1 || !this.text.startsWith(written, nameAt)) continue;
      (this.texts[place] ??= {})[name] = this.text.slice(start, this.at);
      return;
    }
  }

  private isList(nameAt: number): boolean {
    const list = this.cut?.list;
    if (list?.length !== this.at - nameAt - 1 || this.text.charCodeAt(this.at) !== OPEN_BRACKET) return false;
    return this.text.startsWith(list, nameAt);
  }

  private enter(level: number): void {
    this.at += 1;
    if (level > this.deepest) this.deepest = level;
  }

  /** Behind an item or a member. @returns whether it was the last one */
  private isAtEnd(closing: number): boolean {
    const code = this.text.charCodeAt(this.at);
    if (code !== closing && code !== COMMA) this.giveUp();
    this.at += 1;
    return code === closing;
  }

  /** As `String` writes it: digits, few enough that a double keeps them, neither an exponent nor a last 0 behind the point. */
  private number(): void {
    const { text, at: start } = this;
    const isNegative = text.charCodeAt(start) === MINUS;
    let index = isNegative ? start + 1 : start;
    let point = NOWHERE;
    let code = text.charCodeAt(index);
    for (; (code >= DIGIT_0 && code <= DIGIT_9) || code === POINT; code = text.charCodeAt(index)) {
      if (code === POINT) point = index;
      index += 1;
    }
    const isFraction = point !== NOWHERE;
    const hasLongFraction = isFraction && index - point - 1 > FRACTION_DIGITS;
    const hasLastZero = isFraction && text.charCodeAt(index - 1) === DIGIT_0;
    const isMinusZero = isNegative && !isFraction && text.charCodeAt(start + 1) === DIGIT_0;
    if (index - start > SAFE_LENGTH || hasLongFraction || hasLastZero || isMinusZero) this.giveUp();
    this.at = index;
  }

  private giveUp(): void {
    this.isCompact = false;
  }
}

/**
 * Of such a text each character takes two bytes, also in its parts that need one: what waits for an answer would take twice what is
 * counted of it. For other texts the test costs nothing.
 */
export const BEYOND_LATIN_1 = /[\u0100-\uffff]/;
const NOWHERE = -1;
const NEAR = 24;
/** 15 significant digits always survive a double. */
const SAFE_LENGTH = 15;
/** Below a millionth, `String` writes an exponent. */
const FRACTION_DIGITS = 6;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const LETTER_F = 0x66;
const LETTER_N = 0x6e;
const LETTER_T = 0x74;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
