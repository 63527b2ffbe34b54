import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { addDays, isDay, LAST_DAY } from '../domain/site-days.js';
import { Field } from '../elements/field.js';
import style from './range-picker.module.css';
import { useDays } from './use-days.js';
import { useKeptFocus } from './use-kept-focus.js';

/** The days of the site that a screen counts; both are in the address, and both are counted. */
export function RangePicker() {
  const { days } = useDays();
  const navigate = useNavigate();
  // The address has the day after the last one, as the service does.
  const shown = { from: days.from, to: addDays(days.to, -1) };
  const key = `${shown.from} ${shown.to}`;
  const { form: place, keepFocus } = useKeptFocus(key);
  const choose = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    keepFocus();
    const form = new FormData(event.currentTarget);
    const [first, last] = [form.get('from'), form.get('to')];
    if (!isDay(first) || !isDay(last) || last < first) return;
    void navigate({
      to: '.',
      search: (search: object) => ({ ...search, from: first, to: addDays(last, 1) }),
    });
  };
  return (
    <form className={style['range']} onSubmit={choose} onInput={compare} key={key} ref={place}>
      <Field label="First day">
        <input type="date" name="from" defaultValue={shown.from} max={LAST_DAY} required />
      </Field>
      <Field label="Last day">
        <input type="date" name="to" defaultValue={shown.to} max={LAST_DAY} required />
      </Field>
      <button type="submit">Show</button>
    </form>
  );
}

/** Both fields may be right, and their order wrong: the browser says so when the form is sent. */
function compare({ currentTarget }: FormEvent<HTMLFormElement>): void {
  const [first, last] = currentTarget.querySelectorAll('input');
  last?.setCustomValidity(last.value < (first?.value ?? '') ? 'The last day is before the first one.' : '');
}
