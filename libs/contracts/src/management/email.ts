/** Printable ASCII alone: letters of other alphabets have more than one lower case, and two people must never be one. */
const EMAIL = /^(?=.{3,254}$)[!-?A-~]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*$/i;

/** The end of "must be …". */
export const EMAIL_FORM = 'an e-mail address in ASCII of at most 254 characters';

/** An e-mail address in the one spelling in which it is compared; undefined for what is none. */
export function normaliseEmail(text: string): string | undefined {
  return EMAIL.test(text) ? text.toLowerCase() : undefined;
}
