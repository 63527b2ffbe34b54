import { useFieldArray } from 'react-hook-form';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import type { ContentProps } from './content-props.js';

/** Ids stay when texts change, so that events of an older version still count. */
const newId = (): string => crypto.randomUUID().slice(0, 8);

/** Questions, one after the other, and what the visitor is told at the end. */
export function QuizFields({ form, errorOf }: ContentProps) {
  const { register, control, setValue, watch } = form;
  const questions = useFieldArray({ control, name: 'content.quiz.questions' });
  const results = useFieldArray({ control, name: 'content.quiz.results' });
  const add = (): void => {
    if (watch('content.quiz.quiz_id') === '') setValue('content.quiz.quiz_id', newId());
    questions.append({ question_id: newId(), text: '', answers: [{ answer_id: newId(), text: '' }] });
    if (results.fields.length === 0) results.append({ result_id: newId(), text: '' });
  };
  const removeQuestion = (index: number): void => {
    questions.remove(index);
    if (questions.fields.length > 1) return;
    setValue('content.quiz.quiz_id', '');
    results.remove();
  };
  const wrong = errorOf('content.quiz.quiz_id') ?? errorOf('content.quiz.results');
  return (
    <>
      <h2>Quiz</h2>
      {questions.fields.map(({ id }, index) => (
        <fieldset key={id} className={style['group']}>
          <legend>Question {index + 1}</legend>
          <Field label={`Question ${index + 1}`} error={errorOf(`content.quiz.questions.${index}.text`)}>
            <input {...register(`content.quiz.questions.${index}.text`)} autoComplete="off" />
          </Field>
          <Answers form={form} errorOf={errorOf} question={index} />
          <div className={style['actions']}>
            <button type="button" onClick={() => removeQuestion(index)}>
              Remove question {index + 1}
            </button>
          </div>
        </fieldset>
      ))}
      {results.fields.map(({ id }, index) => (
        <Field key={id} label={`Result ${index + 1}`} error={errorOf(`content.quiz.results.${index}.text`)}>
          <input {...register(`content.quiz.results.${index}.text`)} autoComplete="off" />
        </Field>
      ))}
      {results.fields.length === 0 && wrong !== undefined && <p className={style['error']}>{wrong}</p>}
      <div className={style['actions']}>
        <button type="button" onClick={add}>
          Add a question
        </button>
        {questions.fields.length > 0 && (
          <button type="button" onClick={() => results.append({ result_id: newId(), text: '' })}>
            Add a result
          </button>
        )}
        {results.fields.length > 1 && (
          <button type="button" onClick={() => results.remove(results.fields.length - 1)}>
            Remove the last result
          </button>
        )}
      </div>
    </>
  );
}

function Answers({
  form: { register, control },
  errorOf,
  question,
}: ContentProps & { readonly question: number }) {
  const path = `content.quiz.questions.${question}.answers` as const;
  const { fields, append, remove } = useFieldArray({ control, name: path });
  return (
    <>
      {fields.map(({ id }, index) => (
        <Field
          key={id}
          label={`Answer ${index + 1} of question ${question + 1}`}
          error={errorOf(`${path}.${index}.text`)}
        >
          <input {...register(`${path}.${index}.text`)} autoComplete="off" />
        </Field>
      ))}
      <div className={style['actions']}>
        <button type="button" onClick={() => append({ answer_id: newId(), text: '' })}>
          Add an answer to question {question + 1}
        </button>
        {fields.length > 1 && (
          <button type="button" onClick={() => remove(fields.length - 1)}>
            Remove the last answer of question {question + 1}
          </button>
        )}
      </div>
    </>
  );
}
