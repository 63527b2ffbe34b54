import { useState } from 'react';
import { ActionButton } from './action-button.js';
import style from './elements.module.css';
import { useLostFocus } from './use-lost-focus.js';

/** What comes after the items of a list: a button for more of them, or, where that was the last press, that these are all. */
export function More({
  name,
  isLoading,
  onMore,
}: {
  readonly name: string;
  readonly isLoading: boolean;
  /** Undefined at the end of the list. */
  readonly onMore: (() => void) | undefined;
}) {
  const [hasAsked, setAsked] = useState(false);
  if (onMore === undefined) return hasAsked && <End name={name} />;
  const ask = (): void => {
    setAsked(true);
    onMore();
  };
  return (
    <div className={style['actions']}>
      <ActionButton isBusy={isLoading} onClick={ask}>
        {isLoading ? 'Loading more' : 'More'}
      </ActionButton>
    </div>
  );
}

function End({ name }: { readonly name: string }) {
  const place = useLostFocus<HTMLParagraphElement>();
  return (
    <p ref={place} tabIndex={-1}>
      These are all {name}.
    </p>
  );
}
