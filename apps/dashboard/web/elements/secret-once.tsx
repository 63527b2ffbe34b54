import { Copyable } from './copyable.js';
import { Dialog } from './dialog.js';

/** Shows a secret once: closing forgets it, here and everywhere in the page. */
export function SecretOnce({
  title,
  secret,
  onClose,
}: {
  readonly title: string;
  readonly secret: string;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>Copy it now: it is stored as a hash only, and is not shown again.</p>
      <Copyable text={secret} name="it" />
      <form method="dialog">
        <button type="submit">Done</button>
      </form>
    </Dialog>
  );
}
