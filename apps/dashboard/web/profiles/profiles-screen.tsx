import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ErasedProfile, ErasureResource, ProfileResource, SiteResource } from '@truetally/node';
import { useMemo, useState } from 'react';
import { counted } from '../domain/counted.js';
import type { Column } from '../elements/data-table.js';
import { Field } from '../elements/field.js';
import { Instant } from '../elements/instant.js';
import { RowButton } from '../elements/row-button.js';
import { DeleteNamed } from '../layout/delete-named.js';
import { Filters } from '../layout/filters.js';
import { List } from '../layout/list.js';
import { ToScreen } from '../layout/next-step.js';
import { SaveAsCsv } from '../layout/save-as-csv.js';
import { Known } from '../layout/screen.js';
import { SiteScreen } from '../layout/site-screen.js';
import { useList } from '../layout/use-read.js';
import { useWorkspace } from '../layout/workspace-context.js';

export function ProfilesScreen() {
  return <SiteScreen title="Profiles">{(site) => <Profiles site={site} />}</SiteScreen>;
}

function Profiles({ site }: { readonly site: SiteResource }) {
  const { workspace, mayWrite } = useWorkspace();
  const { user_id: userId, email } = useSearch({ from: '/w/$workspaceId/profiles' });
  const query = { site_id: site.id, user_id: userId, email };
  const profiles = useList<ProfileResource>('/profiles', query);
  const cache = useQueryClient();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<string>();
  const isNarrowed = userId !== undefined || email !== undefined;
  const columns = useMemo(() => columnsFor(mayWrite ? setAsked : undefined), [mayWrite]);
  return (
    <>
      {mayWrite && (
        <p>
          <Link
            to="/w/$workspaceId/erasures"
            params={{ workspaceId: workspace.id }}
            search={{ site: site.id }}
          >
            Proofs of erasures
          </Link>
        </p>
      )}
      <Filters values={{ user_id: userId, email }}>
        <Field label="User id">
          <input name="user_id" defaultValue={userId ?? ''} autoComplete="off" />
        </Field>
        <Field label="E-mail">
          <input name="email" defaultValue={email ?? ''} autoComplete="off" />
        </Field>
      </Filters>
      <SaveAsCsv file={`profiles-${site.domain}.csv`} path="/profiles.csv" query={query} />
      <List
        list={profiles}
        name="profiles"
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          isNarrowed ? (
            <>
              <p>Nobody is known by this.</p>
              {userId !== undefined && mayWrite && <Erased site={site} userId={userId} />}
            </>
          ) : (
            <p>
              No profile yet. Your backend imports them with a key that may do so, from{' '}
              <ToScreen to="api-keys">API keys</ToScreen>.
            </p>
          )
        }
      />
      {asked !== undefined && (
        <DeleteNamed<ErasedProfile>
          what={asked}
          path={`/profiles/${encodeURIComponent(asked)}`}
          query={{ site_id: site.id }}
          consequence="The profile goes at once; events, submissions and what other services hold of this person go in the background. The ledger keeps its amounts and no personal data."
          onClose={() => setAsked(undefined)}
          onDeleted={({ erasure_id: erasureId }) => {
            // What was known of the person leaves the page's memory as well.
            cache.removeQueries({ queryKey: ['w', workspace.id, '/profiles'] });
            void navigate({
              to: '/w/$workspaceId/erasures/$erasureId',
              params: { workspaceId: workspace.id, erasureId },
              search: { site: site.id },
            });
          }}
        />
      )}
    </>
  );
}

/** Whether the person was erased: found by a keyed hash of the id, which is kept nowhere. */
function Erased({ site, userId }: { readonly site: SiteResource; readonly userId: string }) {
  const { workspace } = useWorkspace();
  const erasures = useList<ErasureResource>('/profiles/erasures', { site_id: site.id, user_id: userId });
  return (
    <Known query={erasures}>
      {({ pages }) => {
        const items = pages.flatMap((page) => page.items);
        if (items.length === 0) return <p>Nobody with this id was erased either.</p>;
        return items.map(({ id, requested_at: at }) => (
          <p key={id}>
            <strong>Erased</strong> <Instant at={at} zone={site.timezone} /> ({site.timezone}):{' '}
            <Link
              to="/w/$workspaceId/erasures/$erasureId"
              params={{ workspaceId: workspace.id, erasureId: id }}
              search={{ site: site.id }}
            >
              the proof
            </Link>
          </p>
        ));
      }}
    </Known>
  );
}

function nameOf(name: string | null, first: string | null, last: string | null): string {
  const parts = [first, last].filter((part) => part !== null).join(' ');
  return name ?? (parts === '' ? 'none' : parts);
}

/** @param onErase undefined for a role that may not */
function columnsFor(onErase: ((userId: string) => void) | undefined): readonly Column<ProfileResource>[] {
  return [
    { title: 'User id', cell: ({ user_id: id }) => <code>{id}</code> },
    { title: 'Name', cell: ({ name, first_name: first, last_name: last }) => nameOf(name, first, last) },
    { title: 'E-mail', cell: ({ email: address }) => address ?? 'none' },
    {
      title: 'What is known',
      cell: ({ attributes, phone, language }) => (
        <details>
          <summary>{counted(Object.keys(attributes).length, 'attribute')}</summary>
          <pre>
            <code>{JSON.stringify({ phone, language, attributes }, null, 2)}</code>
          </pre>
        </details>
      ),
    },
    ...(onErase === undefined
      ? []
      : [
          {
            title: 'Actions',
            cell: ({ user_id: id }: ProfileResource) => (
              <RowButton verb="Erase" row={id} onClick={() => onErase(id)} />
            ),
          },
        ]),
  ];
}
