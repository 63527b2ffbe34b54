import { endOfJsonString } from './json-characters.js';

/** Longest path in a message: names come from the client and may be as long as the body. */
const NAMED_PATH_LENGTH = 200;

interface Container {
  /** Names seen so far in an object; undefined for an array. */
  readonly names: Set<string> | undefined;
  /** Name of the current member, or index of the current item. */
  at: string | number;
}

/**
 * The path of the first repeated member of an object. Reads every character, and is used only where a cheap
 * count finds a text doubtful.
 * @param text valid JSON
 */
export function findDuplicateMember(text: string): string | undefined {
  const open: Container[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const innermost = open.at(-1);
    switch (text.charCodeAt(index)) {
      case OPEN_BRACE:
        open.push({ names: new Set(), at: '' });
        break;
      case OPEN_BRACKET:
        open.push({ names: undefined, at: 0 });
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        open.pop();
        break;
      case COMMA:
        if (typeof innermost?.at === 'number') innermost.at += 1;
        break;
      case QUOTE: {
        const end = endOfJsonString(text, index);
        if (innermost?.names !== undefined && isFollowedByColon(text, end)) {
          innermost.at = nameAt(text, index, end);
          if (innermost.names.has(innermost.at)) return pathOf(open);
          innermost.names.add(innermost.at);
        }
        index = end - 1;
        break;
      }
    }
  }
  return undefined;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const SPACE = 0x20;

function nameAt(text: string, start: number, end: number): string {
  const name = text.slice(start + 1, end - 1);
  return name.includes('\\') ? String(JSON.parse(text.slice(start, end))) : name;
}

function isFollowedByColon(text: string, from: number): boolean {
  let index = from;
  while (text.charCodeAt(index) <= SPACE) index += 1;
  return text.charCodeAt(index) === COLON;
}

function pathOf(open: readonly Container[]): string {
  const path = open.map((container) => container.at).join('.');
  return (path.length > NAMED_PATH_LENGTH ? `${path.slice(0, NAMED_PATH_LENGTH)}…` : path).toWellFormed();
}
