/** Any version, in either case: the kernel's pattern without its flag, because JSON Schema has no flags. */
export const UUID = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;
/** The source of `UUID`, for a JSON Schema. */
export const UUID_PATTERN = UUID.source;
export const UUID_FORM = 'a UUID';

/** The canonical form of providers in site settings. */
export const PROVIDER = /^(?=.{1,64}$)[a-z0-9]+(?:[_-][a-z0-9]+)*$/;
export const PROVIDER_FORM = 'a lower-case slug of at most 64 characters';

/** An amount in an answer: exact, in major units of its currency. */
export const DECIMAL_TEXT = /^-?\d{1,60}(\.\d{1,40})?$/;
export const DECIMAL_TEXT_FORM = 'a decimal string';

/** SHA-256 in lower-case hexadecimal. */
export const SHA_256 = /^[0-9a-f]{64}$/;
export const SHA_256_FORM = '64 hexadecimal digits';

/** Limits of whole numbers that answers count with. */
export const COUNT = { min: 0, max: Number.MAX_SAFE_INTEGER };

/** The HTML standard's e-mail field, with a dot in the domain; RFC 5321 bounds the lengths. */
export const EMAIL =
  /^(?=.{1,254}$)[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
export const EMAIL_FORM = 'an e-mail address of at most 254 characters';
