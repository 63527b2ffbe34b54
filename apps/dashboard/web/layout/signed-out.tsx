import { Problem } from '../elements/problem.js';
import { Screen } from './screen.js';
import style from './shell.module.css';

export function SignedOut({
  isIssuerAway = false,
  onSignIn,
}: {
  /** It may not have heard of it. */
  readonly isIssuerAway?: boolean;
  readonly onSignIn: () => void;
}) {
  return (
    <main className={style['main']}>
      <Screen title="Signed out">
        <p>Nobody is signed in in this browser’s tab.</p>
        {isIssuerAway && (
          <p>
            The sign-in service does not answer: there you may still be signed in. Where others use this
            browser, close all of its windows.
          </p>
        )}
        <button type="button" onClick={onSignIn}>
          Sign in
        </button>
      </Screen>
    </main>
  );
}

export function SignInFailed({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  return (
    <main className={style['main']}>
      <Screen title="Signing in failed">
        <Problem error={error instanceof Error ? error.message : error} onRetry={onRetry} />
      </Screen>
    </main>
  );
}
