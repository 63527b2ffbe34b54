import { Link, useSearch } from '@tanstack/react-router';
import type { SiteResource, WorkflowResource } from '@truetally/node';
import { wordsOf } from '../domain/event-types.js';
import type { Column } from '../elements/data-table.js';
import { Instant } from '../elements/instant.js';
import { NameFilter } from '../layout/filters.js';
import { List } from '../layout/list.js';
import { SiteScreen } from '../layout/site-screen.js';
import { useList } from '../layout/use-read.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { WorkflowState } from './workflow-state.js';

export function WorkflowsScreen() {
  return <SiteScreen title="Workflows">{(site) => <Workflows site={site} />}</SiteScreen>;
}

function Workflows({ site }: { readonly site: SiteResource }) {
  const { workspace, mayWrite } = useWorkspace();
  const { name: part } = useSearch({ from: '/w/$workspaceId/workflows' });
  const workflows = useList<WorkflowResource>('/workflows', { site_id: site.id });
  const columns: readonly Column<WorkflowResource>[] = [
    {
      title: 'Name',
      cell: ({ id, name }) => (
        <Link
          to="/w/$workspaceId/workflows/$workflowId"
          params={{ workspaceId: workspace.id, workflowId: id }}
          search={{ site: site.id }}
        >
          {name}
        </Link>
      ),
    },
    { title: 'Waits for', cell: ({ trigger }) => trigger.event_types.map(wordsOf).join(', ') },
    { title: 'Sends to', cell: ({ action }) => <code>{action.url}</code> },
    { title: 'State', cell: (workflow) => <WorkflowState workflow={workflow} /> },
    {
      title: `Last delivered (${site.timezone})`,
      cell: ({ last_delivered_at: at }) => (at === null ? 'never' : <Instant at={at} zone={site.timezone} />),
    },
  ];
  return (
    <>
      {mayWrite && (
        <p>
          <Link
            to="/w/$workspaceId/workflows/new"
            params={{ workspaceId: workspace.id }}
            search={{ site: site.id }}
          >
            Add a workflow
          </Link>
        </p>
      )}
      <NameFilter list={workflows} part={part} />
      <List
        list={workflows}
        name="workflows"
        columns={columns}
        keyOf={({ id }) => id}
        find={{ part, nameOf: ({ name }) => name }}
        empty={
          <p>
            No workflow yet. A workflow sends a signed webhook for each event of your backend, or each order,
            that fits its conditions.
          </p>
        }
      />
    </>
  );
}
