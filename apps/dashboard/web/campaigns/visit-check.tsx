import { isTargeted, targetingOf, visitOf } from '@truetally/contracts/targeting';
import { useState } from 'react';
import { type CampaignFields, DEVICE_TYPES } from '../domain/campaign-form.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { Options } from '../elements/options.js';

const NONE = { page_url_contains: [], languages: [], device_types: [] };

/** Would this page, language and device see it? Decided by the function by which the service decides. */
export function VisitCheck({ fields }: { readonly fields: CampaignFields }) {
  const [url, setUrl] = useState('');
  const [language, setLanguage] = useState(navigator.language);
  const [device, setDevice] = useState('desktop');
  const visit = visitOf({ page_url: url, language, device_type: device });
  const stored = { ...NONE, ...withoutNull(fields.targeting ?? {}) };
  const reasons = [
    fields.status !== 'active' && `it is ${fields.status}`,
    !isScheduled(fields.schedule ?? {}) && 'it is outside of its time now',
    ...Object.entries(stored).map(
      ([name, list]) =>
        !isTargeted(targetingOf({ ...NONE, [name]: list }), visit) && WORDS[name as keyof typeof WORDS],
    ),
  ].filter((reason) => reason !== false);
  return (
    <section aria-labelledby="visit-check">
      <h2 id="visit-check">Would this visit see it?</h2>
      <Field label="Page’s address">
        <input
          value={url}
          onChange={({ target }) => setUrl(target.value)}
          placeholder="https://shop.example/cups"
          autoComplete="off"
        />
      </Field>
      <Field label="Language">
        <input value={language} onChange={({ target }) => setLanguage(target.value)} autoComplete="off" />
      </Field>
      <Field label="Device">
        <select value={device} onChange={({ target }) => setDevice(target.value)}>
          <Options of={DEVICE_TYPES} />
        </select>
      </Field>
      <p role="status">
        <strong>{reasons.length === 0 ? 'Yes.' : `No: ${reasons.join('; ')}.`}</strong>{' '}
        <span className={style['quiet']}>
          A running experiment also withholds it from the sessions of its control arm.
        </span>
      </p>
    </section>
  );
}

const WORDS = {
  page_url_contains: 'the page’s address holds none of its parts',
  languages: 'the language is none of its languages',
  device_types: 'the device is none of its devices',
};

function withoutNull<T extends object>(members: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)) as {
    [Name in keyof T]?: NonNullable<T[Name]>;
  };
}

function isScheduled({ from, to }: NonNullable<CampaignFields['schedule']>): boolean {
  const now = Date.now();
  return (from == null || Date.parse(from) <= now) && (to == null || now < Date.parse(to));
}
