/** Any version, in either case. */
export const UUID = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;
export const UUID_FORM = 'a UUID';

/** The canonical form of providers in site settings. */
export const PROVIDER = /^(?=.{1,64}$)[a-z0-9]+(?:[_-][a-z0-9]+)*$/;
export const PROVIDER_FORM = 'a lower-case slug of at most 64 characters';

/** The HTML standard's e-mail field, with a dot in the domain; RFC 5321 bounds the lengths. */
export const EMAIL =
  /^(?=.{1,254}$)[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
export const EMAIL_FORM = 'an e-mail address of at most 254 characters';
