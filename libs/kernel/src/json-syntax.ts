/**
 * Where a text stops being JSON: the index of the first invalid token, or the text's length when it ends too
 * early; undefined for valid JSON. V8 often gives no position and quotes the text instead, which an answer
 * must not do. Reads one token at a time without recursion.
 */
export function findSyntaxError(text: string): number | undefined {
  const open: ('{' | '[')[] = [];
  let expected: Expectation = 'value';
  let index = skipBlanks(text, 0);
  while (index < text.length) {
    const first = text.charAt(index);
    const end = endOfToken(text, index);
    const next: Expectation | undefined = end === undefined ? undefined : step(expected, first, open);
    if (end === undefined || next === undefined) return index;
    expected = next;
    index = skipBlanks(text, end);
  }
  return expected === 'end' ? undefined : text.length;
}

type Expectation = 'value' | 'item or ]' | 'name' | 'name or }' | 'colon' | 'comma or close' | 'end';

/**
 * What may follow a token that starts with `first`; undefined when the token is invalid here. Updates `open`.
 */
function step(expected: Expectation, first: string, open: ('{' | '[')[]): Expectation | undefined {
  switch (first) {
    case '{':
    case '[':
      if (expected !== 'value' && expected !== 'item or ]') return undefined;
      open.push(first);
      return first === '{' ? 'name or }' : 'item or ]';
    case '}':
      if (open.at(-1) !== '{' || (expected !== 'name or }' && expected !== 'comma or close'))
        return undefined;
      open.pop();
      return afterValue(open);
    case ']':
      if (open.at(-1) !== '[' || (expected !== 'item or ]' && expected !== 'comma or close'))
        return undefined;
      open.pop();
      return afterValue(open);
    case ':':
      return expected === 'colon' ? 'value' : undefined;
    case ',':
      if (expected !== 'comma or close') return undefined;
      return open.at(-1) === '{' ? 'name' : 'value';
    case '"':
      if (expected === 'name' || expected === 'name or }') return 'colon';
      break;
  }
  return expected === 'value' || expected === 'item or ]' ? afterValue(open) : undefined;
}

function afterValue(open: readonly string[]): Expectation {
  return open.length === 0 ? 'end' : 'comma or close';
}

const BLANKS = /[ \t\r\n]*/y;
const PUNCTUATION = '{}[]:,';
const WORD_OR_NUMBER = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_ALLOWED_IN_STRING = 0x20;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

function skipBlanks(text: string, index: number): number {
  BLANKS.lastIndex = index;
  return BLANKS.test(text) ? BLANKS.lastIndex : index;
}

/** The index after the token that starts here; undefined when there is none. */
function endOfToken(text: string, index: number): number | undefined {
  const first = text.charAt(index);
  if (PUNCTUATION.includes(first)) return index + 1;
  if (first === '"') return endOfString(text, index + 1);
  WORD_OR_NUMBER.lastIndex = index;
  return WORD_OR_NUMBER.test(text) ? WORD_OR_NUMBER.lastIndex : undefined;
}

function endOfString(text: string, start: number): number | undefined {
  let index = start;
  while (index < text.length) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) return index + 1;
    if (unit < FIRST_ALLOWED_IN_STRING) return undefined;
    if (unit === BACKSLASH) {
      ESCAPE.lastIndex = index;
      if (!ESCAPE.test(text)) return undefined;
      index = ESCAPE.lastIndex;
    } else {
      index += 1;
    }
  }
  return undefined;
}
