const TO_BE_ESCAPED = /["\\]/g;

/**
 * A column of rows as a Postgres array literal (`$1::text[]`), for any element type. The driver does the same
 * element by element with two replacements each; most texts need none.
 * @param values bytes are written as `bytea` text: `\x` and hexadecimal digits
 */
export function arrayLiteral(values: readonly (boolean | number | string | null)[]): string {
  let literal = '{';
  for (let index = 0; index < values.length; index += 1) {
    if (index > 0) literal += ',';
    const value = values[index];
    if (value === null || value === undefined) literal += 'NULL';
    else literal += `"${typeof value === 'string' ? escaped(value) : value}"`;
  }
  return `${literal}}`;
}

function escaped(text: string): string {
  return text.includes('"') || text.includes('\\') ? text.replace(TO_BE_ESCAPED, '\\$&') : text;
}
