/** What the service says to programs, as it is called by who fills in a form; each applies to what is left of those before. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/a (non-empty )?string of/, 'a text of'],
  [/an array of (\d+ to \d+) items/, '$1 entries'],
  [/an array of (\d+ to \d+)/, '$1'],
  [
    /a JSON number or a plain decimal string, of at most \d+ digits before and after the point/,
    'a number such as 12.5',
  ],
  [/an absolute http\(s\) URL/, 'an address that begins with https:// or http://'],
  [/, without user, query or fragment/, ', without a user name, ? or #'],
  [/, without user or fragment/, ', without a user name or #'],
  [/an exact origin such as (\S+): .*no wildcard/, 'an address such as $1, without a path or *'],
  [/a host name without scheme, port or path/, 'a name such as shop.example, without https://, port or path'],
  [/an ISO 8601 date and time with an offset/, 'a date and a time'],
  [
    /an active ISO 4217( currency)? code in upper case( that has a minor unit)?/,
    'the three capital letters of a currency, such as EUR',
  ],
  [/an IANA time zone name/, 'a time zone such as Europe/Berlin'],
  [
    /a lower-case slug of at most (\d+) characters/,
    'a name of at most $1 small letters and digits, such as awin',
  ],
  [/ in ASCII of at most/, ' without accents, of at most'],
  [
    /a dotted path of at most ten names and (\d+) characters/,
    'names with dots between them, of at most $1 characters',
  ],
  [/ for the trigger \w+/, ''],
  [/ for (eq|ne|gte?|lte?|contains|in|exists)(?=;|$)/, ''],
  [/true or false, or absent/, 'true, false or nothing'],
  [/must be absent/, 'must stay empty'],
  [/bytes as JSON/, 'bytes in all'],
  [/schedule\.from/, 'its beginning'],
  [/; got (nothing|null|an empty (string|array))$/, '; it is empty'],
  [/; got (a URL of )?\d+ characters? with (.*)$/, '; this one has $2'],
  [/another scheme than http\(s\)/, 'another beginning'],
  [/(; this one has.*)a query/, '$1a ?'],
  [/(; this one has.*)a fragment/, '$1a #'],
  [/beyond ASCII/, 'with accents or of other scripts'],
  [/(characters.*); got (a URL of )?(\d+ characters?)$/, '$1; it has $3'],
  [/(decimals.*); got (\d+)$/, '$1; it has $2'],
  [/; got (a URL of )?\d+ characters?$/, ''],
  [/; got /, '; it is '],
];

/** A rule of the service that a field breaks, in words of who has typed into it. */
export function plainWords(said: string): string {
  return WORDS.reduce((text, [theirs, ours]) => text.replace(theirs, ours), said);
}
