import { useState } from 'react';
import { ActionButton } from '../elements/action-button.js';
import { usePage } from '../session/page-context.js';

export function SignOut() {
  const { session } = usePage();
  const [isLeaving, setLeaving] = useState(false);
  const leave = (): void => {
    setLeaving(true);
    session.signOut();
  };
  return (
    <ActionButton isBusy={isLeaving} onClick={leave}>
      Sign out
    </ActionButton>
  );
}
