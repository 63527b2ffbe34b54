/** Below this product of lengths the engine's own search, which may compare each character with each, takes some microseconds. */
const FEW_COMPARISONS = 65_536;

/**
 * Whether a text holds another one, in a time that grows with the sum of their lengths: texts of a client that repeat themselves would
 * hold `includes` for milliseconds, and a site may have thousands of conditions (Knuth, Morris and Pratt).
 */
export function searchFor(wanted: string): (text: string) => boolean {
  let borders: Uint16Array | undefined;
  return (text) => {
    if (text.length * wanted.length <= FEW_COMPARISONS) return text.includes(wanted);
    borders ??= bordersOf(wanted);
    for (let place = 0, matched = 0; place < text.length; place += 1) {
      const character = text.charCodeAt(place);
      while (matched > 0 && wanted.charCodeAt(matched) !== character) matched = borders[matched - 1] ?? 0;
      if (wanted.charCodeAt(matched) === character) matched += 1;
      if (matched === wanted.length) return true;
    }
    return false;
  };
}

/** Of each beginning of a text the longest shorter one that it also ends with. */
function bordersOf(text: string): Uint16Array {
  const borders = new Uint16Array(text.length);
  for (let place = 1, matched = 0; place < text.length; place += 1) {
    const character = text.charCodeAt(place);
    while (matched > 0 && text.charCodeAt(matched) !== character) matched = borders[matched - 1] ?? 0;
    if (text.charCodeAt(matched) === character) matched += 1;
    borders[place] = matched;
  }
  return borders;
}
