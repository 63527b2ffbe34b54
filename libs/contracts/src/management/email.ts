/**
 * Printable ASCII only: letters of other alphabets have several lower cases, which could make two people one.
 */
const EMAIL = /^(?=.{3,254}$)[!-?A-~]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*$/i;

/** The end of "must be …". */
export const EMAIL_FORM = 'an e-mail address in ASCII of at most 254 characters';

/** The canonical form of an e-mail address; undefined for an invalid one. */
export function normaliseEmail(text: string): string | undefined {
  return EMAIL.test(text) ? text.toLowerCase() : undefined;
}
