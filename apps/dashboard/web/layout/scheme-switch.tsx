import { useState } from 'react';
import { Options } from '../elements/options.js';
import { readScheme, writeScheme } from '../session/scheme.js';
import style from './shell.module.css';

const SCHEMES = { system: 'As the system', light: 'Light', dark: 'Dark' } as const;

export function SchemeSwitch() {
  const [scheme, setScheme] = useState(readScheme());
  const choose = (chosen: string): void => {
    writeScheme(chosen);
    setScheme(readScheme());
  };
  return (
    <label className={style['choice']}>
      Colours
      <select value={scheme} onChange={({ target }) => choose(target.value)}>
        <Options of={SCHEMES} />
      </select>
    </label>
  );
}
