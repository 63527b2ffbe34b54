import { Link, useSearch } from '@tanstack/react-router';
import type { AuditEntryResource } from '@truetally/node';
import { useMemo } from 'react';
import { nounOf, screenOf, verbOf } from '../domain/audit-words.js';
import type { Column } from '../elements/data-table.js';
import { Field } from '../elements/field.js';
import { Instant } from '../elements/instant.js';
import { Filters } from '../layout/filters.js';
import { ForRoles } from '../layout/for-roles.js';
import { List } from '../layout/list.js';
import { Screen } from '../layout/screen.js';
import { useList } from '../layout/use-read.js';
import { useWorkspace } from '../layout/workspace-context.js';

const FILTERS = {
  actor: { label: 'Who', hint: 'A member’s subject, or key: and a key’s beginning' },
  resource: { label: 'What', hint: 'For example site, api_key, campaign' },
  resource_id: { label: 'Its id', hint: 'As it stands in the list below, or in its own address' },
} as const;

/** Who changed what, in words. */
export function AuditLogScreen() {
  return (
    <Screen title="Audit log">
      <ForRoles roles={['owner']}>
        <Entries />
      </ForRoles>
    </Screen>
  );
}

function Entries() {
  const { workspace, zone } = useWorkspace();
  const { actor, resource, resource_id: resourceId } = useSearch({ from: '/w/$workspaceId/audit-log' });
  const filters = { actor, resource, resource_id: resourceId };
  const entries = useList<AuditEntryResource>('/audit-log', filters);
  const { data } = entries;
  const columns = useMemo(() => {
    const known = data?.pages.flatMap(({ items }) => items) ?? [];
    const deleted = known.flatMap(({ action, resource_id: id }) => (action === 'delete' ? [id] : []));
    return columnsFor(workspace.id, zone, new Set(deleted));
  }, [data, workspace.id, zone]);
  return (
    <>
      <Filters values={filters}>
        {Object.entries(FILTERS).map(([name, { label, hint }]) => (
          <Field key={name} label={label} hint={hint}>
            <input
              name={name}
              defaultValue={filters[name as keyof typeof FILTERS] ?? ''}
              autoComplete="off"
              maxLength={128}
            />
          </Field>
        ))}
      </Filters>
      <List
        list={entries}
        name="changes"
        columns={columns}
        keyOf={({ id }) => id}
        empty={<p>No change fits. Each change of this workspace stands here, by members and by keys.</p>}
      />
    </>
  );
}

function columnsFor(
  workspaceId: string,
  zone: string,
  deleted: ReadonlySet<string>,
): readonly Column<AuditEntryResource>[] {
  return [
    { title: `When (${zone})`, cell: ({ at }) => <Instant at={at} zone={zone} /> },
    { title: 'Who', cell: ({ actor }) => (actor === null ? 'the service' : <code>{actor}</code>) },
    {
      title: 'Did',
      cell: ({ action, resource }) => `${verbOf(action)} the ${nounOf(resource)}`,
    },
    {
      title: 'Which',
      cell: (entry) => (
        <Which entry={entry} workspaceId={workspaceId} isDeleted={deleted.has(entry.resource_id)} />
      ),
    },
  ];
}

/** Its id, which leads to its screen where it has one and was not deleted. */
function Which({
  entry: { resource, resource_id: id },
  workspaceId,
  isDeleted,
}: {
  readonly entry: AuditEntryResource;
  readonly workspaceId: string;
  readonly isDeleted: boolean;
}) {
  const to = isDeleted ? undefined : screenOf(resource);
  if (to === undefined) return <code>{id}</code>;
  const ids = { siteId: id, campaignId: id, integrationId: id, jobId: id, experimentId: id, workflowId: id };
  return (
    <Link
      to={to}
      params={{ workspaceId, ...ids }}
      search={({ site }: { site?: string }) => (site === undefined ? {} : { site })}
    >
      <code>{id}</code>
    </Link>
  );
}
