import { useFieldArray } from 'react-hook-form';
import { type CampaignType, HAS_VALUE } from '../domain/campaign-form.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import type { ContentProps } from './content-props.js';
import { QuizFields } from './quiz-fields.js';

export function ContentFields({ type, ...props }: ContentProps & { readonly type: CampaignType }) {
  switch (type) {
    case 'overlay':
      return <OverlayFields {...props} />;
    case 'recommendation':
      return <RecommendationFields {...props} />;
    case 'chatbot':
      return <ChatbotFields {...props} />;
  }
}

function OverlayFields({ form, errorOf }: ContentProps) {
  const { register, watch } = form;
  const trigger = watch('content.trigger.type');
  return (
    <>
      <Field label="Layout" error={errorOf('content.layout')}>
        <select {...register('content.layout')}>
          <option>modal</option>
          <option>banner</option>
          <option>corner</option>
        </select>
      </Field>
      <Field label="Title" error={errorOf('content.title')}>
        <input {...register('content.title')} autoComplete="off" />
      </Field>
      <Field label="Text" error={errorOf('content.body')}>
        <textarea {...register('content.body')} rows={4} />
      </Field>
      <Field label="Link’s label" error={errorOf('content.cta.label')}>
        <input {...register('content.cta.label')} autoComplete="off" />
      </Field>
      <Field label="Link’s address" hint="http or https" error={errorOf('content.cta.url')}>
        <input {...register('content.cta.url')} autoComplete="off" />
      </Field>
      <Field label="Appears" error={errorOf('content.trigger.type')}>
        <select {...register('content.trigger.type')}>
          <option value="load">at once</option>
          <option value="delay">after seconds</option>
          <option value="scroll">at a percent of the page</option>
          <option value="exit">when the visitor is about to leave</option>
        </select>
      </Field>
      {HAS_VALUE.has(trigger) && (
        <Field
          label={trigger === 'delay' ? 'Seconds' : 'Percent of the page'}
          error={errorOf('content.trigger.value')}
        >
          <input {...register('content.trigger.value')} inputMode="decimal" autoComplete="off" />
        </Field>
      )}
      <Field
        label="Not again for hours"
        hint="Empty: at every page"
        error={errorOf('content.frequency_cap_hours')}
      >
        <input {...register('content.frequency_cap_hours')} inputMode="numeric" autoComplete="off" />
      </Field>
      <QuizFields form={form} errorOf={errorOf} />
    </>
  );
}

function RecommendationFields({ form: { register }, errorOf }: ContentProps) {
  return (
    <>
      <Field label="Products that" error={errorOf('content.strategy')}>
        <select {...register('content.strategy')}>
          <option value="co_purchase">are bought together</option>
          <option value="co_view">are viewed together</option>
          <option value="popular">are popular</option>
        </select>
      </Field>
      <Field label="Placement" hint="The name of its place in the page" error={errorOf('content.placement')}>
        <input {...register('content.placement')} autoComplete="off" />
      </Field>
      <Field label="How many" hint="1 to 50" error={errorOf('content.count')}>
        <input {...register('content.count')} inputMode="numeric" autoComplete="off" />
      </Field>
    </>
  );
}

function ChatbotFields({ form: { register, control }, errorOf }: ContentProps) {
  const { fields, append, remove } = useFieldArray({ control, name: 'content.answers' });
  return (
    <>
      <Field label="Greeting" error={errorOf('content.greeting')}>
        <textarea {...register('content.greeting')} rows={2} />
      </Field>
      {fields.map(({ id }, index) => (
        <fieldset key={id} className={style['group']}>
          <legend>Answer {index + 1}</legend>
          <Field
            label={`Keywords ${index + 1}`}
            hint="One a line"
            error={errorOf(`content.answers.${index}.keywords`)}
          >
            <textarea {...register(`content.answers.${index}.keywords`)} rows={2} />
          </Field>
          <Field label={`Text ${index + 1}`} error={errorOf(`content.answers.${index}.text`)}>
            <input {...register(`content.answers.${index}.text`)} autoComplete="off" />
          </Field>
          <div className={style['actions']}>
            <button type="button" onClick={() => remove(index)}>
              Remove answer {index + 1}
            </button>
          </div>
        </fieldset>
      ))}
      <div className={style['actions']}>
        <button type="button" onClick={() => append({ keywords: '', text: '' })}>
          Add an answer
        </button>
      </div>
      <Field
        label="Address for what has no answer"
        hint="An e-mail address; empty: none"
        error={errorOf('content.handover.email')}
      >
        <input {...register('content.handover.email')} autoComplete="off" />
      </Field>
    </>
  );
}
