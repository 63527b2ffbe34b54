import style from './elements.module.css';

/** Says that a form shows what was typed before, and not what the service has. */
export function RestoredDraft({
  restored,
}: {
  readonly restored: { readonly discard: () => void } | undefined;
}) {
  if (restored === undefined) return null;
  return (
    <div className={style['notice']} role="status">
      <p>What you typed here before is filled in again. It is not saved yet.</p>
      <button type="button" onClick={restored.discard}>
        Discard it
      </button>
    </div>
  );
}
