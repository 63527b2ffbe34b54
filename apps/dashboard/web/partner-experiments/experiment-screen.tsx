import { useParams } from '@tanstack/react-router';
import type { ExperimentResource, SiteResource } from '@truetally/node';
import { lazy, Suspense } from 'react';
import { counted } from '../domain/counted.js';
import { titleOf } from '../domain/experiment-words.js';
import { percentOf } from '../domain/percent.js';
import style from '../elements/elements.module.css';
import { Instant } from '../elements/instant.js';
import { Loading } from '../elements/loading.js';
import { Notice } from '../elements/problem.js';
import { Known } from '../layout/screen.js';
import { SiteScreen } from '../layout/site-screen.js';
import { useRead } from '../layout/use-read.js';
import { useSiteOf, useWorkspace } from '../layout/workspace-context.js';
import { EffectSeries } from './effect-series.js';
import { Results } from './results.js';
import { StateControls } from './state-controls.js';

/** Drafts alone are edited: results do not wait for what forms need. */
const ExperimentEditor = lazy(() =>
  import('./experiment-editor.js').then((editor) => ({ default: editor.ExperimentEditor })),
);

export function ExperimentScreen() {
  return <SiteScreen title="Experiment">{(site) => <One site={site} />}</SiteScreen>;
}

function One({ site }: { readonly site: SiteResource }) {
  const { experimentId } = useParams({ from: '/w/$workspaceId/partner-experiments/$experimentId' });
  const experiment = useRead<ExperimentResource>(`/partner-experiments/${encodeURIComponent(experimentId)}`);
  const siteOf = useSiteOf(site);
  return (
    <Known query={experiment}>
      {(data) => {
        const own = siteOf(data);
        return (
          <>
            <Facts experiment={data} site={own} />
            <StateControls experiment={data} />
            {data.state === 'draft' ? (
              <Draft experiment={data} site={own} />
            ) : (
              <>
                <Results experiment={data} zone={own.timezone} />
                <EffectSeries experiment={data} currency={own.currency} />
              </>
            )}
          </>
        );
      }}
    </Known>
  );
}

function Draft({
  experiment,
  site,
}: {
  readonly experiment: ExperimentResource;
  readonly site: SiteResource;
}) {
  const { mayWrite } = useWorkspace();
  return (
    <>
      <Notice>
        <p>It has results once it is started. Then it can no longer be changed.</p>
      </Notice>
      {mayWrite && (
        <Suspense fallback={<Loading />}>
          <ExperimentEditor key={experiment.id} site={site} experiment={experiment} />
        </Suspense>
      )}
    </>
  );
}

function Facts({
  experiment,
  site,
}: {
  readonly experiment: ExperimentResource;
  readonly site: SiteResource;
}) {
  const { eligibility, allocation } = experiment;
  const partners = [...eligibility.providers, ...eligibility.partner_ids];
  return (
    <>
      <h2>
        <bdi>{experiment.name}</bdi> <span className={style['badge']}>{experiment.state}</span>
      </h2>
      {experiment.hypothesis !== null && <p>{experiment.hypothesis}</p>}
      <dl className={style['facts']}>
        <dt>Surface</dt>
        <dd>
          {experiment.surface}, {counted(experiment.campaign_ids.length, 'campaign')}
        </dd>
        <dt>Who takes part</dt>
        <dd>
          {partners.length === 0 ? 'visitors of any partner' : `visitors of ${partners.join(', ')}`},{' '}
          {percentOf(experiment.traffic)} of them
        </dd>
        <dt>Allocation</dt>
        <dd>
          control {allocation.control}, treatment {allocation.treatment}
        </dd>
        <dt>Primary metric</dt>
        <dd>{titleOf(experiment.primary_metric, site.currency)}</dd>
        <dt>Planned for</dt>
        <dd>
          a relative effect of {experiment.minimum_detectable_effect} over {experiment.baseline_rate}, level{' '}
          {percentOf(1 - experiment.alpha)}, power {experiment.power}
        </dd>
        <dt>Orders count for</dt>
        <dd>{experiment.attribution_window_days} days after the assignment</dd>
        <dt>Started, stopped</dt>
        <dd>
          {when(experiment.started_at, site.timezone)}, {when(experiment.stopped_at, site.timezone)}
        </dd>
      </dl>
    </>
  );
}

function when(at: string | null, zone: string) {
  return at === null ? 'not yet' : <Instant at={at} zone={zone} />;
}
