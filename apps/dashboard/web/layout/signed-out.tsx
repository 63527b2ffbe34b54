import { Problem } from '../elements/problem.js';
import { Screen } from './screen.js';
import style from './shell.module.css';

/** In place of all that was shown, until the issuer has heard of it. */
export function SigningOut() {
  return (
    <main className={style['main']}>
      <Screen title="Signing out">
        <p>Nothing is shown any more. The sign-in service is being told.</p>
      </Screen>
    </main>
  );
}

export function SignedOut({
  isIssuerTold,
  onSignIn,
}: {
  readonly isIssuerTold: boolean;
  readonly onSignIn: () => void;
}) {
  return (
    <main className={style['main']}>
      <Screen title="Signed out">
        <p>Nobody is signed in in this browser’s tab.</p>
        {!isIssuerTold && (
          <p>
            The sign-in service could not be told: there you may still be signed in. Where others use this
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
