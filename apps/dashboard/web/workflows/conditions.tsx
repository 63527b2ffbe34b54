import { OPERATOR_WORDS, OPERATORS } from '../domain/trigger-types.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { Options } from '../elements/options.js';

export interface Condition {
  readonly field: string;
  readonly operator: (typeof OPERATORS)[number];
  /** As it is typed. */
  readonly value: string;
}

interface ConditionsProps {
  readonly match: 'all' | 'any';
  readonly conditions: readonly Condition[];
  /** @param part of the condition at the place: `0.value` */
  readonly errorOf: (part: string) => string | undefined;
  readonly onChange: (changed: {
    readonly match: 'all' | 'any';
    readonly conditions: readonly Condition[];
  }) => void;
}

const NEW_CONDITION: Condition = { field: 'properties.total', operator: 'gte', value: '' };

/** What an event has to hold; without any, every one of its types fits. */
export function Conditions({ match, conditions, errorOf, onChange }: ConditionsProps) {
  const show = (changed: readonly Condition[]): void => onChange({ match, conditions: changed });
  const change = (index: number, part: Partial<Condition>): void =>
    show(conditions.map((one, place) => (place === index ? { ...one, ...part } : one)));
  return (
    <fieldset className={style['group']}>
      <legend>Conditions</legend>
      {conditions.length > 1 && (
        <Field label="Of these must fit">
          <select
            value={match}
            onChange={({ target }) => onChange({ match: target.value === 'any' ? 'any' : 'all', conditions })}
          >
            <option value="all">all</option>
            <option value="any">any</option>
          </select>
        </Field>
      )}
      {conditions.map(({ field, operator, value }, index) => (
        <div key={index} className={style['choices']}>
          <Field label={`Field ${index + 1}`} error={errorOf(`${index}.field`)}>
            <input
              value={field}
              onChange={({ target }) => change(index, { field: target.value })}
              autoComplete="off"
            />
          </Field>
          <Field label={`Rule ${index + 1}`}>
            <select
              value={operator}
              onChange={({ target }) =>
                change(index, { operator: OPERATORS.find((one) => one === target.value) ?? 'eq' })
              }
            >
              <Options of={OPERATORS} words={(one) => OPERATOR_WORDS[one]} />
            </select>
          </Field>
          <Field label={`Value ${index + 1}`} error={errorOf(`${index}.value`)}>
            <input
              value={value}
              onChange={({ target }) => change(index, { value: target.value })}
              autoComplete="off"
            />
          </Field>
        </div>
      ))}
      <div className={style['actions']}>
        <button type="button" onClick={() => show([...conditions, NEW_CONDITION])}>
          Add a condition
        </button>
        {conditions.length > 0 && (
          <button type="button" onClick={() => show(conditions.slice(0, -1))}>
            Remove the last condition
          </button>
        )}
      </div>
    </fieldset>
  );
}
