const REFUSED = /^q=0(?:\.0*)?$/;

/**
 * The codings that `Accept-Encoding` names, without those that `q=0` refuses. It is split instead of searched: a search for what
 * stands before a `q=0` begins at each character, and one request with a long header would keep all others waiting.
 */
export function wantedEncodings(accepted: string): readonly string[] {
  return accepted
    .toLowerCase()
    .split(',')
    .map((coding) => coding.split(';').map((part) => part.trim()))
    .filter((parts) => !parts.some((part) => REFUSED.test(part)))
    .map(([name = '']) => name);
}
