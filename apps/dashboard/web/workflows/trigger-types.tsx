import { wordsOf } from '../domain/event-types.js';
import { TRIGGER_TYPES, type TriggerType } from '../domain/trigger-types.js';
import style from '../elements/elements.module.css';

/** What it waits for: any number of types. */
export function TriggerTypes({
  chosen,
  error,
  onChoose,
}: {
  readonly chosen: readonly TriggerType[];
  readonly error: string | undefined;
  readonly onChoose: (types: readonly TriggerType[]) => void;
}) {
  const toggle = (type: TriggerType): void =>
    onChoose(chosen.includes(type) ? chosen.filter((one) => one !== type) : [...chosen, type]);
  return (
    <div className={style['field']}>
      <fieldset>
        <legend>Waits for</legend>
        <div className={style['choices']}>
          {TRIGGER_TYPES.map((type) => (
            <div key={type} className={style['option']}>
              <input
                type="checkbox"
                id={`trigger-${type}`}
                checked={chosen.includes(type)}
                onChange={() => toggle(type)}
              />
              <label htmlFor={`trigger-${type}`}>{wordsOf(type)}</label>
            </div>
          ))}
        </div>
      </fieldset>
      {error !== undefined && (
        <p className={style['error']} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
