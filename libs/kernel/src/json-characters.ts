const QUOTE = 0x22;
const BACKSLASH = 0x5c;
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
