import { Link, useSearch } from '@tanstack/react-router';
import type { JobSummary, SiteResource } from '@truetally/node';
import { useMemo } from 'react';
import { JOB_STATES } from '../domain/job-states.js';
import type { Column } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { Instant } from '../elements/instant.js';
import { Options } from '../elements/options.js';
import { Filters } from '../layout/filters.js';
import { List } from '../layout/list.js';
import { SiteScreen } from '../layout/site-screen.js';
import { useList } from '../layout/use-read.js';
import { useWorkspace } from '../layout/workspace-context.js';

export function JobsScreen() {
  return <SiteScreen title="Jobs">{(site) => <Jobs site={site} />}</SiteScreen>;
}

function Jobs({ site }: { readonly site: SiteResource }) {
  const { workspace } = useWorkspace();
  const { state } = useSearch({ from: '/w/$workspaceId/jobs' });
  const jobs = useList<JobSummary>('/jobs', { site_id: site.id, state });
  const columns = useMemo(() => columnsFor(workspace.id, site), [workspace.id, site]);
  return (
    <>
      <Filters values={{ state }}>
        <Field label="State">
          <select name="state" defaultValue={state ?? ''}>
            <Options of={JOB_STATES} none="all" />
          </select>
        </Field>
      </Filters>
      <List
        list={jobs}
        name="jobs"
        columns={columns}
        keyOf={({ job_id: id }) => id}
        empty={
          <p>No job here. Imports, replays and erasures run as jobs; finished ones are listed for 90 days.</p>
        }
      />
    </>
  );
}

function columnsFor(workspaceId: string, site: SiteResource): readonly Column<JobSummary>[] {
  return [
    {
      title: `Created (${site.timezone})`,
      cell: ({ created_at: at }) => <Instant at={at} zone={site.timezone} />,
    },
    {
      title: 'Job',
      cell: ({ job_id: jobId, type }) => (
        <Link to="/w/$workspaceId/jobs/$jobId" params={{ workspaceId, jobId }} search={{ site: site.id }}>
          {type}
        </Link>
      ),
    },
    { title: 'State', cell: (job) => <span className={style['badge']}>{job.state}</span> },
    {
      title: 'Done',
      isNumber: true,
      cell: ({ done, total }) => `${done.toLocaleString('en')} of ${total.toLocaleString('en')}`,
    },
    { title: 'Failed', isNumber: true, cell: ({ failed }) => failed.toLocaleString('en') },
    { title: 'By', cell: ({ started_by: by }) => (by === null ? 'the service' : <code>{by}</code>) },
  ];
}
