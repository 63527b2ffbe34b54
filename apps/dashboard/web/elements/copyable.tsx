import { useState } from 'react';
import style from './elements.module.css';

/** A text to copy, with a button that says that it was. */
export function Copyable({ text, name }: { readonly text: string; readonly name: string }) {
  const [said, setSaid] = useState('');
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setSaid('Copied'),
      () => setSaid('Select the text to copy it'),
    );
  };
  return (
    <>
      <pre>
        <code>{text}</code>
      </pre>
      <div className={style['actions']}>
        <button type="button" onClick={copy}>
          Copy {name}
        </button>
        <span role="status">{said}</span>
      </div>
    </>
  );
}
