import { useEffect } from 'react';
import { usePage } from '../session/page-context.js';
import { Copyable } from './copyable.js';
import { Dialog } from './dialog.js';

/** Shows a secret once: closing forgets it, here and everywhere in the page. */
export function SecretOnce({
  title,
  secret,
  kept = 'it is stored as a hash only, and is not shown again',
  lost = 'Revoke it, and make another one.',
  onClose,
}: {
  readonly title: string;
  /** Undefined where a repetition of the request was answered: it was shown before. */
  readonly secret: string | undefined;
  /** Why it is not shown again. */
  readonly kept?: string;
  /** What helps where it was never seen. */
  readonly lost?: string;
  readonly onClose: () => void;
}) {
  const { session } = usePage();
  useEffect(() => session.stay(), [session]);
  return (
    <Dialog title={title} onClose={onClose}>
      {secret === undefined ? (
        <p>
          It was made, and the answer that held it was lost: {kept}. {lost}
        </p>
      ) : (
        <>
          <p>Copy it now: {kept}.</p>
          <Copyable text={secret} name="it" />
        </>
      )}
      <form method="dialog">
        <button type="submit">Done</button>
      </form>
    </Dialog>
  );
}
