import type { ChangedOrders, ExperimentResults } from '@truetally/node';
import { reasonOf } from '../domain/experiment-words.js';
import style from '../elements/elements.module.css';
import { FigureValue } from '../elements/figure-value.js';

/** What the measures rest on, and what they leave out. */
export function Surroundings({ results }: { readonly results: ExperimentResults }) {
  const {
    power,
    late_conversions: late,
    refunds,
    cancellations,
    other_currencies: others,
    concentration,
    unseen_sessions: unseen,
    currency,
  } = results;
  const changed = ({ count, amount }: ChangedOrders) => (
    <>
      {count.toLocaleString('en')}, <FigureValue value={amount} /> {currency}
    </>
  );
  return (
    <>
      <h3>What this rests on</h3>
      <dl className={style['facts']}>
        <dt>Power</dt>
        <dd>
          <span className={style['badge']}>{power.state}</span>{' '}
          {power.required_sessions_per_arm === null
            ? reasonOf(power.reason)
            : `${power.required_sessions_per_arm.toLocaleString('en')} sessions per arm are needed for a relative effect of ${power.minimum_detectable_effect}; there are ${power.observed_sessions_per_arm.control.toLocaleString('en')} and ${power.observed_sessions_per_arm.treatment.toLocaleString('en')}`}
        </dd>
        <dt>Sessions from one network</dt>
        <dd>
          <SampledShare
            state={concentration.state}
            share={concentration.largest_network_share}
            sampled={concentration.sampled}
            reason={concentration.reason}
          />
        </dd>
        <dt>Sessions without an event</dt>
        <dd>
          <SampledShare
            state={unseen.state}
            share={unseen.share}
            sampled={unseen.sampled}
            reason={unseen.reason}
          />
        </dd>
        <dt>Orders after the window</dt>
        <dd>
          {late.count.toLocaleString('en')}, left out
          {late.share !== null && (
            <>
              {' '}
              (a share of <FigureValue value={late.share} />)
            </>
          )}
        </dd>
        <dt>Returned</dt>
        <dd>{changed(refunds)}</dd>
        <dt>Cancelled</dt>
        <dd>{changed(cancellations)}</dd>
        <dt>Other currencies</dt>
        <dd>
          {others.count === 0
            ? 'none'
            : `${others.currencies.map((one) => `${one.orders.toLocaleString('en')} in ${one.currency}`).join(', ')}: left out of monetary measures`}
        </dd>
      </dl>
      <p>{results.scope_note}</p>
    </>
  );
}

interface Sampled {
  readonly state: string;
  readonly share: number | null;
  readonly sampled: number;
  readonly reason: string | undefined;
}

/** A share of the sessions of a sample. */
function SampledShare({ state, share, sampled, reason }: Sampled) {
  return (
    <>
      <span className={style['badge']}>{state}</span>{' '}
      {share === null ? (
        reasonOf(reason)
      ) : (
        <>
          a share of <FigureValue value={share} /> of {sampled.toLocaleString('en')} sessions
        </>
      )}
    </>
  );
}
