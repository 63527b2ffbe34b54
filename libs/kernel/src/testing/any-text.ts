import fc from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;
const CHARACTERS = 0x110000 - SURROGATES;

/**
 * Any character, assigned or not, as the unit of a string. The unit `binary` of fast-check is the same, and makes a table of all of
 * them first: a second and 100 MiB in each worker, which every collection of garbage then looks through.
 */
export const anyCharacter = fc.nat(CHARACTERS - 1).map(characterAt, placeOf);

function characterAt(place: number): string {
  return String.fromCodePoint(place < FIRST_SURROGATE ? place : place + SURROGATES);
}

function placeOf(text: unknown): number {
  const point = typeof text === 'string' ? text.codePointAt(0) : undefined;
  if (point === undefined || String.fromCodePoint(point) !== text) throw new Error('That is no character.');
  return point < FIRST_SURROGATE ? point : point - SURROGATES;
}

const PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@";
/** What may stand between two slashes, or behind a question mark. */
export const anyUrlPart = fc.string({
  unit: fc.oneof(
    { weight: 10, arbitrary: fc.constantFrom(...PLAIN) },
    { weight: 1, arbitrary: anyCharacter.map(escaped) },
  ),
});
export const anyPath = fc.array(anyUrlPart.map((part) => `/${part}`)).map((parts) => parts.join(''));
/** As `webUrl` of fast-check, which makes that table for the characters that it escapes. */
export const anyUrl = fc
  .tuple(fc.constantFrom('http', 'https'), fc.webAuthority(), anyPath)
  .map(([scheme, authority, path]) => `${scheme}://${authority}${path}`);

/** Also of a character that needs none. */
function escaped(character: string): string {
  const text = encodeURIComponent(character);
  return text === character ? `%${character.charCodeAt(0).toString(16)}` : text;
}
