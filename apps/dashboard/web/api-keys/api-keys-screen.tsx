import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ApiKeyResource, IntakeAllowance, SiteIntake, SiteResource } from '@truetally/node';
import { useState } from 'react';
import type { Column } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Instant } from '../elements/instant.js';
import { RowButton } from '../elements/row-button.js';
import { SecretOnce } from '../elements/secret-once.js';
import { useSecret } from '../elements/use-secret.js';
import { List } from '../layout/list.js';
import { SiteScreen } from '../layout/site-screen.js';
import { useRead } from '../layout/use-read.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';
import { useDraft } from '../session/use-draft.js';
import { apiKeysQuery } from './api-keys.queries.js';
import { Revoke, Rotate } from './end-key.js';
import { KeyState, WhileInForce } from './key-state.js';
import { type KeyDraft, NewKey } from './new-key.js';

export function ApiKeysScreen() {
  return <SiteScreen title="API keys">{(site) => <Keys key={site.id} site={site} />}</SiteScreen>;
}

/** What is asked, or shown, above the list. */
type Asked =
  { readonly what: 'new' } | { readonly what: 'rotate' | 'revoke'; readonly key: ApiKeyResource } | undefined;

interface Shown {
  /** A repetition of a request is answered without it. */
  readonly secret: string | undefined;
}

function Keys({ site }: { readonly site: SiteResource }) {
  const { workspace, mayWrite } = useWorkspace();
  const cache = useQueryClient();
  const draft = useDraft<KeyDraft>(`new-key:${site.id}`);
  const [asked, setAsked] = useState<Asked>(draft.kept && { what: 'new' });
  const [shown, setShown] = useSecret<Shown>();
  const refresh = (): Promise<void> =>
    cache.invalidateQueries({ queryKey: ['w', workspace.id, 'api-keys', site.id] });
  const close = (): void => {
    draft.forget();
    setAsked(undefined);
  };
  const onMade = (secret: string | null | undefined): void => {
    close();
    setShown({ secret: secret ?? undefined });
    void refresh();
  };
  return (
    <>
      {mayWrite && (
        <div className={style['actions']}>
          <button type="button" onClick={() => setAsked({ what: 'new' })}>
            Make a key
          </button>
        </div>
      )}
      <KeyList site={site} onAsk={mayWrite ? setAsked : undefined} />
      {asked?.what === 'new' && <NewKey site={site} draft={draft} onClose={close} onMade={onMade} />}
      {asked?.what === 'rotate' && <Rotate site={site} apiKey={asked.key} onClose={close} onMade={onMade} />}
      {asked?.what === 'revoke' && (
        <Revoke site={site} apiKey={asked.key} onClose={close} onDone={() => void refresh()} />
      )}
      {shown !== undefined && (
        <SecretOnce title="The new key" secret={shown.secret} onClose={() => setShown(undefined)} />
      )}
    </>
  );
}

function KeyList({
  site,
  onAsk,
}: {
  readonly site: SiteResource;
  /** Undefined for a role that may not change keys. */
  readonly onAsk: ((asked: Asked) => void) | undefined;
}) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const keys = useInfiniteQuery(apiKeysQuery(api, workspace.id, site.id));
  const intake = useRead<SiteIntake>(`/sites/${site.id}/intake`);
  return (
    <List
      list={keys}
      name="keys"
      columns={columnsFor(site, intake.data?.allowances, onAsk)}
      keyOf={({ id }) => id}
      empty={
        <p>
          No key yet. A key lets your backend send events and record orders of <bdi>{site.name}</bdi>.{' '}
          {onAsk !== undefined && (
            <Link
              to="/w/$workspaceId/get-started"
              params={{ workspaceId: workspace.id }}
              search={{ site: site.id }}
            >
              Get started
            </Link>
          )}
        </p>
      }
    />
  );
}

function columnsFor(
  { timezone: zone }: SiteResource,
  allowances: readonly IntakeAllowance[] | undefined,
  onAsk: ((asked: Asked) => void) | undefined,
): readonly Column<ApiKeyResource>[] {
  return [
    {
      title: 'Name, and what it begins with',
      cell: ({ name, prefix }) => (
        <>
          {name}
          <br />
          <code>{prefix}</code>
        </>
      ),
    },
    { title: 'May', cell: ({ scopes }) => scopes.join(', ') },
    {
      title: 'Used this hour',
      isNumber: true,
      cell: ({ id, hourly_limit: limit }) => {
        const used = allowances?.find(({ key_id: of }) => of === id)?.used ?? 0;
        const said = allowances === undefined ? 'not known' : used.toLocaleString('en');
        return `${said} of ${limit.toLocaleString('en')}`;
      },
    },
    {
      title: `Last used (${zone})`,
      cell: ({ last_used_at: at }) => (at === null ? 'never' : <Instant at={at} zone={zone} />),
    },
    { title: `State (${zone})`, cell: (key) => <KeyState apiKey={key} zone={zone} /> },
    ...(onAsk === undefined
      ? []
      : [
          {
            title: 'Actions',
            cell: (key: ApiKeyResource) => (
              <WhileInForce apiKey={key}>
                <div className={style['actions']}>
                  <RowButton
                    verb="Rotate"
                    row={namesOf(key)}
                    onClick={() => onAsk({ what: 'rotate', key })}
                  />
                  <RowButton
                    verb="Revoke"
                    row={namesOf(key)}
                    onClick={() => onAsk({ what: 'revoke', key })}
                  />
                </div>
              </WhileInForce>
            ),
          },
        ]),
  ];
}

/** A rotated key and the new one have the same name. */
function namesOf({ name, prefix }: ApiKeyResource): string {
  return `${name}, ${prefix}`;
}
