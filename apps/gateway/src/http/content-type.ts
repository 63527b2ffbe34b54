export type MediaType = 'application/json' | 'text/plain';

const CHARSET = /^charset\s*=\s*(?:"([^"]*)"|([^"\s]*))$/i;

/**
 * The media type of a readable body, or undefined: JSON or a beacon's text, in UTF-8. A missing Content-Type
 * is not guessed.
 */
export function mediaTypeOf(header: string | undefined): MediaType | undefined {
  if (header === 'application/json') return header;
  if (header === undefined) return undefined;
  const [name = '', ...parameters] = header.split(';').map((part) => part.trim());
  const mediaType = name.toLowerCase();
  if (mediaType !== 'application/json' && mediaType !== 'text/plain') return undefined;
  return parameters.every(isUnderstood) ? mediaType : undefined;
}

/** A parameter that changes the decoding is refused unless it is UTF-8; others do not matter. */
function isUnderstood(parameter: string): boolean {
  const charset = CHARSET.exec(parameter);
  if (charset === null) return !/^charset\b/i.test(parameter);
  const name = (charset[1] ?? charset[2] ?? '').toLowerCase();
  return name === 'utf-8' || name === 'utf8';
}
