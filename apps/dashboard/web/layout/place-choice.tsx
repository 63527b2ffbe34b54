import type { KeyboardEvent } from 'react';
import element from '../elements/elements.module.css';
import style from './shell.module.css';

/** Keys that take another value in a closed list: arrows, ends and pages, and what a name begins with. */
const CHOOSING = /^(Arrow|Home|End|Page|.$)/u;

/**
 * One of several places, which leads to what is taken in it. Keys open its list, as on a Mac: in a closed one each arrow
 * would lead away from the screen (WCAG 2.2, 3.2.2).
 */
export function PlaceChoice({
  label,
  current,
  places,
  onChoose,
}: {
  readonly label: string;
  readonly current: string;
  readonly places: readonly { readonly id: string; readonly name: string }[];
  readonly onChoose: (id: string) => void;
}) {
  return (
    <label className={`${style['choice']} ${style['place']}`}>
      <span className={element['heard-when-narrow']}>{label}</span>
      <select value={current} onKeyDown={openList} onChange={({ target }) => onChoose(target.value)}>
        {places.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function openList(event: KeyboardEvent<HTMLSelectElement>): void {
  const { key, altKey, ctrlKey, metaKey } = event;
  // Safari has no such function, and does so by itself.
  if (!('showPicker' in HTMLSelectElement.prototype)) return;
  if (altKey || ctrlKey || metaKey || !CHOOSING.test(key)) return;
  event.preventDefault();
  event.currentTarget.showPicker();
}
