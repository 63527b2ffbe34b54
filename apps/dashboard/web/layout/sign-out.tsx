import { usePage } from '../session/page-context.js';

export function SignOut() {
  const { session } = usePage();
  return (
    <button type="button" onClick={() => session.signOut()}>
      Sign out
    </button>
  );
}
