import type { UseFormReturn } from 'react-hook-form';
import { type CampaignForm, DEVICE_TYPES } from '../domain/campaign-form.js';
import { LAST_DAY } from '../domain/site-days.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';

/** A browser takes a year of six digits without it, and what is typed next for a part of the year. */
const LAST_MINUTE = `${LAST_DAY}T23:59`;

/** When and to whom it is shown. */
export function Audience({
  form: { register },
  zone,
  errorOf,
}: {
  readonly form: UseFormReturn<CampaignForm>;
  readonly zone: string;
  readonly errorOf: (path: string) => string | undefined;
}) {
  return (
    <>
      <h2>When</h2>
      <Field label={`From (${zone})`} error={errorOf('schedule.from')}>
        <input {...register('schedule.from')} type="datetime-local" max={LAST_MINUTE} />
      </Field>
      <Field label={`Until (${zone})`} error={errorOf('schedule.to')}>
        <input {...register('schedule.to')} type="datetime-local" max={LAST_MINUTE} />
      </Field>
      <h2>To whom</h2>
      <Field
        label="Pages"
        hint="Parts of the page’s address, one a line; one of them must stand in it. Empty: all pages"
        error={errorOf('targeting.page_url_contains')}
      >
        <textarea {...register('targeting.page_url_contains')} rows={3} />
      </Field>
      <Field
        label="Languages"
        hint="For example de, pt-BR; de is also de-AT. Empty: all"
        error={errorOf('targeting.languages')}
      >
        <input {...register('targeting.languages')} autoComplete="off" />
      </Field>
      <div className={style['field']}>
        <fieldset>
          <legend>Devices (none chosen: all)</legend>
          {DEVICE_TYPES.map((type) => (
            <div key={type} className={style['option']}>
              <input
                type="checkbox"
                id={`device-${type}`}
                value={type}
                {...register('targeting.device_types')}
              />
              <label htmlFor={`device-${type}`}>{type}</label>
            </div>
          ))}
        </fieldset>
        {errorOf('targeting.device_types') !== undefined && (
          <p className={style['error']}>{errorOf('targeting.device_types')}</p>
        )}
      </div>
    </>
  );
}
