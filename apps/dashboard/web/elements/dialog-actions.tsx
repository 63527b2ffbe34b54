import { ActionButton } from './action-button.js';
import style from './elements.module.css';

/** The two ways out of a dialog. Without `onVerb` the first sends the form around it. */
export function DialogActions({
  verb,
  keep = 'Cancel',
  isBusy,
  isReady,
  onVerb,
  onKeep,
}: {
  readonly verb: string;
  readonly keep?: string;
  readonly isBusy: boolean;
  readonly isReady?: boolean | undefined;
  readonly onVerb?: () => void;
  readonly onKeep: () => void;
}) {
  return (
    <div className={style['actions']}>
      <ActionButton
        type={onVerb === undefined ? 'submit' : 'button'}
        isBusy={isBusy}
        isReady={isReady}
        onClick={onVerb}
      >
        {verb}
      </ActionButton>
      <button type="button" onClick={onKeep}>
        {keep}
      </button>
    </div>
  );
}
