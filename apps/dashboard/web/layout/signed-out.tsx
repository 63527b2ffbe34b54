import { Problem } from '../elements/problem.js';
import { Screen } from './screen.js';
import style from './shell.module.css';

export function SignedOut({ onSignIn }: { readonly onSignIn: () => void }) {
  return (
    <main className={style['main']}>
      <Screen title="Signed out">
        <p>Nobody is signed in in this browser’s tab.</p>
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
