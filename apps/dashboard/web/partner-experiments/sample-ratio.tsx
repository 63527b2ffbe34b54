import type { SampleRatioPart, SampleRatioResults } from '@truetally/node';
import { DataTable } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Notice } from '../elements/problem.js';
import { Value } from './estimates.js';

const BREAKDOWNS = ['day', 'provider', 'device'] as const;

/** Do the arms have the sessions that the allocation says? Where they do not, no effect can be trusted. */
export function SampleRatio({ ratio }: { readonly ratio: SampleRatioResults }) {
  const { expected, observed } = ratio;
  const counts = (
    <>
      Expected {expected.control.toLocaleString('en')} in control and{' '}
      {expected.treatment.toLocaleString('en')} in treatment, observed {observed.control.toLocaleString('en')}{' '}
      and {observed.treatment.toLocaleString('en')}; p value{' '}
      <Value value={ratio.p_value} reason={ratio.reason} />.
    </>
  );
  return (
    <>
      {ratio.state === 'mismatch' ? (
        <div className={`${style['notice']} ${style['bad']}`} role="alert">
          <p>
            <strong>The arms do not have the sessions that they should have: trust no effect below.</strong>{' '}
            {counts}
          </p>
          <p>
            Usual causes: one arm’s page fails or redirects before the touch is sent, bots that come to one
            arm only, or a change of the allocation by hand. The parts below show where it begins.
          </p>
        </div>
      ) : (
        <Notice>
          <p>
            <strong>
              {ratio.state === 'ok'
                ? 'The arms have the sessions that they should have.'
                : 'Too few sessions to judge whether the arms are balanced.'}
            </strong>{' '}
            {counts}
          </p>
        </Notice>
      )}
      <details open={ratio.state === 'mismatch'}>
        <summary>Sessions by day, partner and device</summary>
        {BREAKDOWNS.map((name) => (
          <Parts key={name} name={name} parts={ratio.breakdown[name]} />
        ))}
      </details>
    </>
  );
}

function Parts({
  name,
  parts,
}: {
  readonly name: (typeof BREAKDOWNS)[number];
  readonly parts: readonly SampleRatioPart[];
}) {
  return (
    <DataTable
      name={`sessions by ${name}`}
      items={parts}
      keyOf={({ value }) => value}
      columns={[
        { title: name === 'day' ? 'Day (UTC)' : name, cell: ({ value }) => value },
        {
          title: 'Control, expected',
          isNumber: true,
          cell: ({ observed, expected }) => pair(observed.control, expected.control),
        },
        {
          title: 'Treatment, expected',
          isNumber: true,
          cell: ({ observed, expected }) => pair(observed.treatment, expected.treatment),
        },
        { title: 'State', cell: ({ state }) => <span className={style['badge']}>{state}</span> },
        {
          title: 'Always valid p value',
          cell: ({ always_valid_p_value: value, reason }) => <Value value={value} reason={reason} />,
        },
      ]}
    />
  );
}

function pair(observed: number, expected: number): string {
  return `${observed.toLocaleString('en')}, ${expected.toLocaleString('en', { maximumFractionDigits: 1 })}`;
}
