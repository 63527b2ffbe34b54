import { useQueries } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { SiteResource, Trail, TrailItem } from '@truetally/node';
import { wordsOf } from '../domain/event-types.js';
import { joinTrails, namesOfId } from '../domain/trail.js';
import type { Column } from '../elements/data-table.js';
import { DataTable } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { Instant } from '../elements/instant.js';
import { Loading } from '../elements/loading.js';
import { Notice, Problem } from '../elements/problem.js';
import { Filters } from '../layout/filters.js';
import { SiteScreen } from '../layout/site-screen.js';
import { keyOfRead } from '../layout/use-read.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';

export function TrailScreen() {
  return <SiteScreen title="Where is my event">{(site) => <Finder site={site} />}</SiteScreen>;
}

function Finder({ site }: { readonly site: SiteResource }) {
  const { id } = useSearch({ from: '/w/$workspaceId/trail' });
  return (
    <>
      <Filters values={{ id }}>
        <Field label="Event id, client event id or request id">
          <input name="id" defaultValue={id ?? ''} autoComplete="off" maxLength={128} required />
        </Field>
      </Filters>
      {id === undefined ? (
        <Notice>
          <p>
            Each answer of ours names its request in <code>X-Request-Id</code>. Paste that, the event’s id, or
            the id that your shop gave it.
          </p>
        </Notice>
      ) : (
        <Found key={id} site={site} id={id} />
      )}
    </>
  );
}

/** An id may be of any kind: each kind that it can be is asked for. */
function Found({ site, id }: { readonly site: SiteResource; readonly id: string }) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const path = '/analytics/events/trail';
  const answers = useQueries({
    queries: namesOfId(id).map((name) => {
      const query = { site_id: site.id, [name]: id, limit: '200' };
      return {
        queryKey: keyOfRead(workspace.id, path, query),
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          api<Trail>({ path, query, workspaceId: workspace.id, signal }),
      };
    }),
  });
  const failed = answers.find(({ error }) => error !== null);
  const trails = answers.flatMap(({ data }) => (data === undefined ? [] : [data]));
  if (failed !== undefined) {
    const retry = (): void => void Promise.all(answers.map((one) => one.refetch()));
    return <Problem error={failed.error} onRetry={retry} />;
  }
  if (trails.length < answers.length) return <Loading />;
  const { items, isCut, searched } = joinTrails(trails);
  return items.length === 0 ? (
    <Nothing searched={searched} zone={site.timezone} />
  ) : (
    <>
      <DataTable name="items" items={items} columns={columnsFor(site, workspace.id)} keyOf={keyOf} />
      {isCut && <p>There are more: the request’s id or the event’s id narrows them.</p>}
    </>
  );
}

function Nothing({ searched, zone }: { readonly searched: Trail['searched']; readonly zone: string }) {
  return (
    <Notice>
      <p>Nothing of this site has that id.</p>
      <p>
        Stored events were looked for{' '}
        {searched.stored_since === null ? (
          'everywhere'
        ) : (
          <>
            since <Instant at={searched.stored_since} zone={zone} />
          </>
        )}
        ; duplicates and refused ones since <Instant at={searched.refused_since} zone={zone} />.
      </p>
      <p>A request that was refused before its site was known, as with a wrong key, leaves no trail.</p>
    </Notice>
  );
}

function keyOf({ request_id: request, index, event_id: id, outcome, received_at: at }: TrailItem): string {
  return [request, index, id, outcome, at].join('/');
}

function columnsFor(site: SiteResource, workspaceId: string): readonly Column<TrailItem>[] {
  const { timezone: zone } = site;
  return [
    { title: `Received (${zone})`, cell: ({ received_at: at }) => <Instant at={at} zone={zone} /> },
    {
      title: 'What became of it',
      cell: (item) => <Outcome item={item} zone={zone} />,
    },
    {
      title: 'Type',
      cell: ({ event_type: type, trust, is_bot: isBot }) => (
        <>
          {type === null ? 'unknown' : wordsOf(type)}{' '}
          {trust !== null && <span className={style['badge']}>{trust}</span>}{' '}
          {isBot === true && <span className={style['badge']}>bot</span>}
        </>
      ),
    },
    {
      title: 'Request',
      cell: ({ request_id: request, index }) => (
        <>
          <code>{request}</code>
          {index !== null && ` place ${index}`}
        </>
      ),
    },
    { title: 'Reports', cell: ({ report }) => (report === null ? 'not in them' : REPORTS[report]) },
    {
      title: 'Deliveries',
      cell: ({ deliveries, event_id: event_id }) =>
        deliveries.length === 0
          ? 'none'
          : deliveries.map(({ delivery_id: id, workflow_id: workflowId, status }) => (
              <div key={id}>
                <Link
                  to="/w/$workspaceId/workflows/$workflowId"
                  params={{ workspaceId, workflowId }}
                  search={{ site: site.id, ...(event_id !== null && { event_id }) }}
                >
                  {status}
                </Link>
              </div>
            )),
    },
  ];
}

const REPORTS = { counted: 'counted', pending: 'on the way', bot: 'never: a bot' } as const;

function Outcome({ item, zone }: { readonly item: TrailItem; readonly zone: string }) {
  const { outcome, event_id: id, duplicate_of: first, error } = item;
  if (outcome === 'stored') {
    return (
      <>
        <strong>stored</strong> as <code>{id}</code>
      </>
    );
  }
  if (outcome === 'duplicate') {
    return (
      <>
        <strong>duplicate</strong> of <code>{id}</code>
        {first !== null && (
          <>
            , which request <code>{first.request_id}</code> brought at{' '}
            <Instant at={first.timestamp} zone={zone} />
          </>
        )}
      </>
    );
  }
  return (
    <>
      <strong>refused</strong> {error !== null && <code>{error.code}</code>}{' '}
      {Object.entries(error?.details ?? {}).map(([field, rules]) => (
        <div key={field}>
          <code>{field}</code> {Array.isArray(rules) ? rules.join('; ') : ''}
        </div>
      ))}
      {Object.keys(error?.details ?? {}).length === 0 && <div>{error?.message}</div>}
    </>
  );
}
