import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { addDays, isDay } from '../domain/site-days.js';
import { Field } from '../elements/field.js';
import style from './range-picker.module.css';
import { useDays } from './use-days.js';

/** The days of the site that a screen counts; both are in the address, and both are counted. */
export function RangePicker() {
  const { days } = useDays();
  const navigate = useNavigate();
  // The address has the day after the last one, as the service does.
  const shown = { from: days.from, to: addDays(days.to, -1) };
  const choose = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [first, last] = [form.get('from'), form.get('to')];
    if (!isDay(first) || !isDay(last) || last < first) return;
    void navigate({
      to: '.',
      search: (search: object) => ({ ...search, from: first, to: addDays(last, 1) }),
    });
  };
  return (
    <form className={style['range']} onSubmit={choose} key={`${shown.from} ${shown.to}`}>
      <Field label="First day">
        <input type="date" name="from" defaultValue={shown.from} required />
      </Field>
      <Field label="Last day">
        <input type="date" name="to" defaultValue={shown.to} required />
      </Field>
      <button type="submit">Show</button>
    </form>
  );
}
