import { differences } from '../domain/replacing-patch.js';
import style from './elements.module.css';

/** Somebody else was faster: theirs beside mine, and the choice. */
export function Conflict({
  mine,
  theirs,
  labels = {},
  onMine,
  onTheirs,
}: {
  readonly mine: object;
  readonly theirs: object;
  /** Of fields, by their paths. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly onMine: () => void;
  readonly onTheirs: () => void;
}) {
  return (
    <div className={`${style['notice']} ${style['bad']}`} role="alert">
      <p>
        <strong>It was changed meanwhile.</strong> Nothing of yours was saved.
      </p>
      <div className={style['scroll']} role="region" aria-label="differences" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Yours</th>
              <th scope="col">Theirs</th>
            </tr>
          </thead>
          <tbody>
            {differences(mine, theirs).map((one) => (
              <tr key={one.path}>
                <td>{labels[one.path] ?? <code>{one.path}</code>}</td>
                <td>{one.mine === '' ? 'none' : one.mine}</td>
                <td>{one.theirs === '' ? 'none' : one.theirs}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className={style['actions']}>
        <button type="button" onClick={onMine}>
          Save mine
        </button>
        <button type="button" onClick={onTheirs}>
          Take theirs
        </button>
      </div>
    </div>
  );
}
