import { Link, useSearch } from '@tanstack/react-router';
import type { SiteResource, SubmissionResource } from '@truetally/node';
import { Fragment, useMemo } from 'react';
import type { Column } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { Instant } from '../elements/instant.js';
import { Filters } from '../layout/filters.js';
import { List } from '../layout/list.js';
import { SaveAsCsv } from '../layout/save-as-csv.js';
import { SiteScreen } from '../layout/site-screen.js';
import { useList } from '../layout/use-read.js';
import { useWorkspace } from '../layout/workspace-context.js';

export function SubmissionsScreen() {
  return <SiteScreen title="Submissions">{(site) => <Submissions site={site} />}</SiteScreen>;
}

function Submissions({ site }: { readonly site: SiteResource }) {
  const { workspace } = useWorkspace();
  const search = useSearch({ from: '/w/$workspaceId/submissions' });
  const filters = { campaign_id: search.campaign_id, session_id: search.session_id };
  const query = { site_id: site.id, ...filters };
  const submissions = useList<SubmissionResource>('/submissions', query);
  const columns = useMemo(() => columnsFor(workspace.id, site), [workspace.id, site]);
  return (
    <>
      <Filters values={filters}>
        <Field label="Campaign id">
          <input name="campaign_id" defaultValue={filters.campaign_id ?? ''} autoComplete="off" />
        </Field>
        <Field label="Session">
          <input
            name="session_id"
            defaultValue={filters.session_id ?? ''}
            autoComplete="off"
            maxLength={128}
          />
        </Field>
      </Filters>
      <SaveAsCsv file={`submissions-${site.domain}.csv`} path="/submissions.csv" query={query} />
      <List
        list={submissions}
        name="submissions"
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <p>
            No submission. What visitors send through a form of your shop stands here, with the consent that
            they gave: without one nothing is stored.
          </p>
        }
      />
    </>
  );
}

function columnsFor(workspaceId: string, site: SiteResource): readonly Column<SubmissionResource>[] {
  const { timezone: zone } = site;
  return [
    { title: `Received (${zone})`, cell: ({ created_at: at }) => <Instant at={at} zone={zone} /> },
    {
      title: 'Campaign',
      cell: ({ campaign_id: campaignId }) => (
        <Link
          to="/w/$workspaceId/campaigns/$campaignId"
          params={{ workspaceId, campaignId }}
          search={{ site: site.id }}
        >
          <code>{campaignId}</code>
        </Link>
      ),
    },
    {
      title: 'Fields',
      cell: ({ fields }) => (
        <dl className={`${style['facts']} ${style['wide']}`}>
          {Object.entries(fields).map(([name, value]) => (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
            </Fragment>
          ))}
        </dl>
      ),
    },
    {
      title: 'Consent',
      cell: ({ consent: { granted, text, at } }) => (
        <span className={style['short']}>
          {granted ? 'granted' : 'refused'} at <Instant at={at} zone={zone} />
          <br />
          {text === null ? 'without a text' : `“${text}”`}
        </span>
      ),
    },
    { title: 'Session', cell: ({ session_id: id }) => <code>{id}</code> },
  ];
}
