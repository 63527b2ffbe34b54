import type { EligibleSessions, RequiredSample, SiteResource } from '@truetally/node';
import { useState } from 'react';
import { reasonOf } from '../domain/experiment-words.js';
import { ActionButton } from '../elements/action-button.js';
import style from '../elements/elements.module.css';
import { Notice } from '../elements/problem.js';
import { Known } from '../layout/screen.js';
import { useRead } from '../layout/use-read.js';

interface Plan {
  readonly baseline_rate: number;
  readonly minimum_detectable_effect: number;
}

/** How many sessions it takes, and how many days with this site's own traffic of partners. */
export function Planner({
  site,
  baselineRate,
  effect,
}: {
  readonly site: SiteResource;
  readonly baselineRate: number | string;
  readonly effect: number | string;
}) {
  const [asked, setAsked] = useState<Plan>();
  const isPlannable = typeof baselineRate === 'number' && typeof effect === 'number';
  const ask = (): void => {
    if (isPlannable) setAsked({ baseline_rate: baselineRate, minimum_detectable_effect: effect });
  };
  return (
    <>
      <div className={style['actions']}>
        <ActionButton isReady={isPlannable} onClick={ask}>
          How long will it take?
        </ActionButton>
        {!isPlannable && <span className={style['quiet']}>It takes both numbers above.</span>}
      </div>
      {asked !== undefined && <Answer site={site} plan={asked} />}
    </>
  );
}

function Answer({ site, plan }: { readonly site: SiteResource; readonly plan: Plan }) {
  const eligible = useRead<EligibleSessions>('/partner-experiments/eligible-sessions', { site_id: site.id });
  return (
    <Known query={eligible}>
      {({ mean_per_day: daily, reason, days }) => (
        <>
          <p>
            {daily === null
              ? `Sessions of partners per day: ${reasonOf(reason)}.`
              : `Sessions of partners per day: ${daily.toLocaleString('en', { maximumFractionDigits: 1 })}, over ${days.length} days.`}
          </p>
          <Sample plan={plan} daily={daily} />
        </>
      )}
    </Known>
  );
}

function Sample({ plan, daily }: { readonly plan: Plan; readonly daily: number | null }) {
  const sample = useRead<RequiredSample>('/partner-experiments/required-sample', {
    ...plan,
    daily_sessions: daily !== null && daily > 0 ? daily : undefined,
  });
  return (
    <Known query={sample}>
      {({ required_sessions_per_arm: perArm, total_sessions: total, days, reason }) => (
        <Notice>
          <p role="status">
            {perArm === null || total === null
              ? `No sample: ${reasonOf(reason)}.`
              : `${perArm.toLocaleString('en')} sessions per arm, ${total.toLocaleString('en')} in all${
                  days === null ? '' : `: ${days.toLocaleString('en')} days`
                }.`}
          </p>
        </Notice>
      )}
    </Known>
  );
}
