/** What a redirect to the issuer needs when it comes back. */
export interface Transaction {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Path, search and hash of the page that is to be shown then. */
  readonly address: string;
  /** Whether the issuer was asked to answer without showing a page. */
  readonly isSilent: boolean;
}

const TRANSACTION = 'truetally:sign-in';
const SIGNED_OUT = 'truetally:signed-out';
const ASKED = 'truetally:asked-again';
/** Within it the same question has the same answer: a page that is refused would come and go without an end. */
const ASK_AGAIN_AFTER_MS = 60_000;

/** @throws where the browser refuses to keep anything: nobody can sign in then */
export function demandStorage(): void {
  try {
    sessionStorage.getItem(TRANSACTION);
  } catch {
    throw new Error(
      'This browser keeps nothing for this page, and signing in needs that: allow the page to store data, and try again.',
    );
  }
}

export function keepTransaction(transaction: Transaction): void {
  sessionStorage.setItem(TRANSACTION, JSON.stringify(transaction));
}

/** Removes it: a callback is answered once. */
export function takeTransaction(): Transaction | undefined {
  const text = sessionStorage.getItem(TRANSACTION);
  sessionStorage.removeItem(TRANSACTION);
  try {
    return text === null ? undefined : (JSON.parse(text) as Transaction);
  } catch {
    return undefined;
  }
}

/** @param isTold whether the issuer ends its own session, too */
export function noteSignedOut(isTold: boolean): void {
  sessionStorage.clear();
  sessionStorage.setItem(SIGNED_OUT, String(isTold));
}

/** Whether this tab has signed out, and nobody has asked to sign in since. */
export function isSignedOut(): boolean {
  try {
    return sessionStorage.getItem(SIGNED_OUT) !== null;
  } catch {
    return false;
  }
}

/** Of a tab that has signed out: whether the issuer has heard of it. */
export function isIssuerTold(): boolean {
  return sessionStorage.getItem(SIGNED_OUT) === 'true';
}

export function forgetSignedOut(): void {
  sessionStorage.removeItem(SIGNED_OUT);
}

/** Whether the issuer may be asked without its page; notes that it is. */
export function mayAskSilently(): boolean {
  const sinceMs = Date.now() - Number(sessionStorage.getItem(ASKED));
  if (sinceMs >= 0 && sinceMs < ASK_AGAIN_AFTER_MS) return false;
  sessionStorage.setItem(ASKED, String(Date.now()));
  return true;
}
