const REFUSED = /^q=0(?:\.0*)?$/i;

/**
 * The value of `Accept-Encoding` without what `q=0` refuses. It is split instead of searched: a search for what stands before
 * a `q=0` begins at each character, and one request with a long header would keep all others waiting.
 */
export function wantedEncodings(accepted: string): string {
  return accepted
    .split(',')
    .filter((coding) => !coding.split(';').some((parameter) => REFUSED.test(parameter.trim())))
    .join(',');
}
