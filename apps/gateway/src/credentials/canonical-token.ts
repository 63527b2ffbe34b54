/**
 * Whether each part of a token is the one base64url text of its bytes. Decoders pass over padding, other alphabets and the last
 * character's unused bits, so that a token could be changed by hand and still be taken for the one that was signed.
 */
export function isCanonicalToken(token: string): boolean {
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}
