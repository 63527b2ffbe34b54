import { Link, useSearch } from '@tanstack/react-router';
import type { ExperimentResource, SiteResource } from '@truetally/node';
import { STATES, titleOf } from '../domain/experiment-words.js';
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

export function ExperimentsScreen() {
  return <SiteScreen title="Experiments">{(site) => <Experiments site={site} />}</SiteScreen>;
}

function Experiments({ site }: { readonly site: SiteResource }) {
  const { workspace, mayWrite } = useWorkspace();
  const { state } = useSearch({ from: '/w/$workspaceId/partner-experiments' });
  const experiments = useList<ExperimentResource>('/partner-experiments', { site_id: site.id, state });
  const columns: readonly Column<ExperimentResource>[] = [
    {
      title: 'Name',
      cell: ({ id, name }) => (
        <Link
          to="/w/$workspaceId/partner-experiments/$experimentId"
          params={{ workspaceId: workspace.id, experimentId: id }}
          search={{ site: site.id }}
        >
          {name}
        </Link>
      ),
    },
    { title: 'State', cell: (one) => <span className={style['badge']}>{one.state}</span> },
    { title: 'Surface', cell: ({ surface }) => surface },
    { title: 'Primary metric', cell: ({ primary_metric: metric }) => titleOf(metric, site.currency) },
    {
      title: `Started (${site.timezone})`,
      cell: ({ started_at: at }) => (at === null ? 'not yet' : <Instant at={at} zone={site.timezone} />),
    },
  ];
  return (
    <>
      {mayWrite && (
        <p>
          <Link
            to="/w/$workspaceId/partner-experiments/new"
            params={{ workspaceId: workspace.id }}
            search={{ site: site.id }}
          >
            Draft an experiment
          </Link>
        </p>
      )}
      <Filters values={{ state }}>
        <Field label="State">
          <select name="state" defaultValue={state ?? ''}>
            <Options of={STATES} none="all" />
          </select>
        </Field>
      </Filters>
      <List
        list={experiments}
        name="experiments"
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <p>
            No experiment {state === undefined ? 'yet' : 'in this state'}. An experiment shows campaigns to
            one half of the visitors whom partners send, and compares what both halves buy.
          </p>
        }
      />
    </>
  );
}
