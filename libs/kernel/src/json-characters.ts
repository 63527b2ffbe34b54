const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING_BRACE = 0x7b;
const OPENING_BRACKET = 0x5b;
const SPACE = 0x20;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** The index after the closing quote of the string that opens at `start`; the text is valid JSON. */
export function endOfJsonString(text: string, start: number): number {
  let index = start + 1;
  let code = text.charCodeAt(index);
  while (code !== QUOTE) {
    index += code === BACKSLASH ? 2 : 1;
    code = text.charCodeAt(index);
  }
  return index + 1;
}

export function isJsonBlank(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === TAB || code === CARRIAGE_RETURN;
}

/**
 * Whether a text has more opening brackets of objects and arrays than `limit`, outside of strings. It works
 * before parsing, on any text: in invalid JSON, quotes delimit strings.
 */
export function holdsMoreObjectsThan(limit: number, text: string): boolean {
  // Counts those in strings too, which few texts have many of.
  if (occurrences(text, '{', limit) + occurrences(text, '[', limit) <= limit) return false;
  let count = 0;
  let isInString = false;
  for (let index = 0; index < text.length && count <= limit; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) isInString = !isInString;
    else if (isInString) index += code === BACKSLASH ? 1 : 0;
    else if (code === OPENING_BRACE || code === OPENING_BRACKET) count += 1;
  }
  return count > limit;
}

/** How often a character is in a text; no more are looked for than one beyond the limit. */
function occurrences(text: string, character: string, limit: number): number {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1 && count <= limit; at = text.indexOf(character, at + 1)) {
    count += 1;
  }
  return count;
}
