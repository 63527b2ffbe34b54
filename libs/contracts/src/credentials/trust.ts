/** Derived by the server from the credential, never accepted from a client (interface page, section 2). */
export const TRUST_CLASSES = ['server', 'browser'] as const;
/** One of `TRUST_CLASSES`. */
export type TrustClass = (typeof TRUST_CLASSES)[number];
