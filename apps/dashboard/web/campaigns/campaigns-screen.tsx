import { Link, useSearch } from '@tanstack/react-router';
import type { ExperimentResource, ListCampaignsResponses, SiteResource } from '@truetally/node';
import { useMemo } from 'react';
import { CAMPAIGN_STATUSES, CAMPAIGN_TYPES } from '../domain/campaign-form.js';
import type { Column } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { Instant } from '../elements/instant.js';
import { Filters, NameField } from '../layout/filters.js';
import { List } from '../layout/list.js';
import { ToScreen } from '../layout/next-step.js';
import { SiteScreen } from '../layout/site-screen.js';
import { useList } from '../layout/use-read.js';
import { useWorkspace } from '../layout/workspace-context.js';

export type Campaign = ListCampaignsResponses[200]['data']['items'][number];

/** More experiments of a site do not run at once. */
const RUNNING_AT_ONCE = 50;

export function CampaignsScreen() {
  return <SiteScreen title="Campaigns">{(site) => <Campaigns site={site} />}</SiteScreen>;
}

function Campaigns({ site }: { readonly site: SiteResource }) {
  const { workspace, mayWrite } = useWorkspace();
  const { type, status, name } = useSearch({ from: '/w/$workspaceId/campaigns' });
  const campaigns = useList<Campaign>('/campaigns', { site_id: site.id, type, status });
  const running = useRunningExperiments(site.id);
  const columns = useMemo(() => columnsFor(workspace.id, site, running), [workspace.id, site, running]);
  const isNarrowed = [type, status, name].some((one) => one !== undefined);
  return (
    <>
      {mayWrite && (
        <div className={style['actions']}>
          {CAMPAIGN_TYPES.map((one) => (
            <Link
              key={one}
              to="/w/$workspaceId/campaigns/new"
              params={{ workspaceId: workspace.id }}
              search={{ site: site.id, type: one }}
            >
              New {one}
            </Link>
          ))}
        </div>
      )}
      <Filters values={{ type, status, name }}>
        <Choice name="type" label="Type" values={CAMPAIGN_TYPES} chosen={type} />
        <Choice name="status" label="Status" values={CAMPAIGN_STATUSES} chosen={status} />
        <NameField part={name} />
      </Filters>
      <List
        list={campaigns}
        name="campaigns"
        columns={columns}
        keyOf={({ id }) => id}
        find={{ part: name, nameOf: (one) => one.name }}
        empty={
          isNarrowed ? (
            <p>No campaign fits.</p>
          ) : (
            <p>
              No campaign. An overlay, a chatbot or recommendations that your shop’s pages show stand here;
              the storefront’s line under <ToScreen to="sites">Sites</ToScreen> is all that the pages need.
            </p>
          )
        }
      />
    </>
  );
}

function Choice<Value extends string>({
  name,
  label,
  values,
  chosen,
}: {
  readonly name: string;
  readonly label: string;
  readonly values: readonly Value[];
  readonly chosen: Value | undefined;
}) {
  return (
    <Field label={label}>
      <select name={name} defaultValue={chosen ?? ''}>
        <option value="">all</option>
        {values.map((value) => (
          <option key={value}>{value}</option>
        ))}
      </select>
    </Field>
  );
}

/** Experiments that decide now who sees which campaign; undefined while nobody has said. */
export function useRunningExperiments(siteId: string): readonly ExperimentResource[] | undefined {
  const query = { site_id: siteId, state: 'running', limit: RUNNING_AT_ONCE };
  const { data } = useList<ExperimentResource>('/partner-experiments', query);
  return useMemo(() => data?.pages.flatMap(({ items }) => items), [data]);
}

/** Which running experiment a campaign stands in: the storefront’s answers say `in_experiment` of it. */
export function InExperiment({
  campaignId,
  running,
  workspaceId,
  siteId,
}: {
  readonly campaignId: string;
  readonly running: readonly ExperimentResource[] | undefined;
  readonly workspaceId: string;
  readonly siteId: string;
}) {
  if (running === undefined) return 'not known';
  const experiment = running.find(({ campaign_ids: ids }) => ids.includes(campaignId));
  if (experiment === undefined) return 'no';
  return (
    <Link
      to="/w/$workspaceId/partner-experiments/$experimentId"
      params={{ workspaceId, experimentId: experiment.id }}
      search={{ site: siteId }}
    >
      {experiment.name}
    </Link>
  );
}

function columnsFor(
  workspaceId: string,
  site: SiteResource,
  running: readonly ExperimentResource[] | undefined,
): readonly Column<Campaign>[] {
  const { timezone: zone } = site;
  return [
    {
      title: 'Name',
      cell: ({ id, name }) => (
        <Link
          to="/w/$workspaceId/campaigns/$campaignId"
          params={{ workspaceId, campaignId: id }}
          search={{ site: site.id }}
        >
          {name}
        </Link>
      ),
    },
    { title: 'Type', cell: ({ type }) => type },
    { title: 'Status', cell: ({ status }) => <span className={style['badge']}>{status}</span> },
    { title: `Shown (${zone})`, cell: ({ schedule }) => <Schedule schedule={schedule} zone={zone} /> },
    {
      title: 'In a running experiment',
      cell: ({ id }) => (
        <InExperiment campaignId={id} running={running} workspaceId={workspaceId} siteId={site.id} />
      ),
    },
  ];
}

export function Schedule({
  schedule,
  zone,
}: {
  readonly schedule: Campaign['schedule'];
  readonly zone: string;
}) {
  const { from, to } = schedule ?? {};
  if (from == null && to == null) return 'always';
  return (
    <>
      {from != null && (
        <>
          from <Instant at={from} zone={zone} />{' '}
        </>
      )}
      {to != null && (
        <>
          until <Instant at={to} zone={zone} />
        </>
      )}
    </>
  );
}
