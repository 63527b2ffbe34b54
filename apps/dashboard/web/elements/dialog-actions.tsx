import style from './elements.module.css';

/** The two ways out of a dialog. Without `onVerb` the first sends the form around it. */
export function DialogActions({
  verb,
  keep = 'Cancel',
  isReady,
  onVerb,
  onKeep,
}: {
  readonly verb: string;
  readonly keep?: string;
  readonly isReady: boolean;
  readonly onVerb?: () => void;
  readonly onKeep: () => void;
}) {
  return (
    <div className={style['actions']}>
      <button type={onVerb === undefined ? 'submit' : 'button'} disabled={!isReady} onClick={onVerb}>
        {verb}
      </button>
      <button type="button" onClick={onKeep}>
        {keep}
      </button>
    </div>
  );
}
