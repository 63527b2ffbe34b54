import { useState } from 'react';
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
        {Object.entries(SCHEMES).map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}
