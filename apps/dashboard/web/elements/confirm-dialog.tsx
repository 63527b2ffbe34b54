import type { ReactNode } from 'react';
import { Dialog } from './dialog.js';
import { DialogActions } from './dialog-actions.js';
import { Problem } from './problem.js';

/** Asks before a change: what follows from it, its refusal, and the two ways out. */
export function ConfirmDialog({
  title,
  change,
  verb,
  keep = 'Keep it',
  isReady,
  onClose,
  children,
}: {
  readonly title: string;
  readonly change: { readonly error: Error | null; readonly isPending: boolean; readonly mutate: () => void };
  readonly verb: string;
  readonly keep?: string;
  /** Whether what the dialog asks for has been given. */
  readonly isReady?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {change.error !== null && <Problem error={change.error} />}
      <DialogActions
        verb={verb}
        keep={keep}
        isBusy={change.isPending}
        isReady={isReady}
        onVerb={() => change.mutate()}
        onKeep={onClose}
      />
    </Dialog>
  );
}
