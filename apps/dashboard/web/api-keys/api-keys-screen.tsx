import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ApiKeyResource, NewApiKeyResource, SiteResource } from '@truetally/node';
import { type FormEvent, useState } from 'react';
import { fieldErrors } from '../api/field-errors.js';
import { type Column, DataTable } from '../elements/data-table.js';
import { Dialog } from '../elements/dialog.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { FormProblem } from '../elements/form-problem.js';
import { Instant } from '../elements/instant.js';
import { Notice, Problem } from '../elements/problem.js';
import { SecretOnce } from '../elements/secret-once.js';
import { useSecret } from '../elements/use-secret.js';
import { Known, Screen } from '../layout/screen.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';
import { apiKeysQuery } from './api-keys.queries.js';

type Scope = ApiKeyResource['scopes'][number];
const SCOPES: readonly { readonly scope: Scope; readonly meaning: string }[] = [
  { scope: 'events:write', meaning: 'send events' },
  { scope: 'partner_attribution:convert', meaning: 'record orders' },
  { scope: 'partner_attribution:read', meaning: 'read orders and touches' },
  { scope: 'analytics:read', meaning: 'read analytics' },
  { scope: 'profiles:import', meaning: 'import profiles' },
  { scope: 'commerce:write', meaning: 'write products' },
];

export function ApiKeysScreen() {
  const { site } = useWorkspace();
  return (
    <Screen title="API keys">{site === undefined ? <NoSite /> : <Keys key={site.id} site={site} />}</Screen>
  );
}

function NoSite() {
  return (
    <Notice>
      <p>A key belongs to a site: add one first.</p>
    </Notice>
  );
}

interface Shown {
  readonly title: string;
  /** A repetition of a request is answered without it. */
  readonly secret: string | undefined;
}

function Keys({ site }: { readonly site: SiteResource }) {
  const { api } = usePage();
  const { workspace, mayWrite } = useWorkspace();
  const cache = useQueryClient();
  const keys = useInfiniteQuery(apiKeysQuery(api, workspace.id, site.id));
  const [shown, setShown] = useSecret<Shown>();
  const [asked, setAsked] = useState<ApiKeyResource>();
  const [isMaking, setMaking] = useState(false);
  const refresh = (): Promise<void> =>
    cache.invalidateQueries({ queryKey: ['w', workspace.id, 'api-keys', site.id] });
  const show = (secret: string | null | undefined): void =>
    setShown({ title: 'The new key', secret: secret ?? undefined });
  const rotate = useMutation({
    mutationFn: (key: ApiKeyResource) =>
      api<NewApiKeyResource>({
        method: 'POST',
        path: `/sites/${site.id}/api-keys/${key.id}/rotate`,
        // A key is rotated once: its successor has an id of its own.
        idempotencyKey: `rotate-${key.id}`,
        body: {},
        workspaceId: workspace.id,
      }),
    onSuccess: ({ key }) => {
      show(key);
      return refresh();
    },
    // The answer holds the secret: nothing of it stays in the page's memory.
    gcTime: 0,
  });
  const columns: readonly Column<ApiKeyResource>[] = [
    { title: 'Name', cell: (key) => key.name },
    { title: 'Begins with', cell: (key) => <code>{key.prefix}</code> },
    { title: 'May', cell: (key) => key.scopes.join(', ') },
    { title: 'Limit per hour', isNumber: true, cell: (key) => key.hourly_limit.toLocaleString('en') },
    { title: 'Last used', cell: (key) => instant(key.last_used_at, site.timezone) },
    { title: 'State', cell: (key) => <State apiKey={key} zone={site.timezone} /> },
    ...(mayWrite
      ? [
          {
            title: 'Actions',
            cell: (key: ApiKeyResource) =>
              stateOf(key) === 'active' && (
                <div className={style['actions']}>
                  <button type="button" disabled={rotate.isPending} onClick={() => rotate.mutate(key)}>
                    Rotate
                  </button>
                  <button type="button" onClick={() => setAsked(key)}>
                    Revoke
                  </button>
                </div>
              ),
          },
        ]
      : []),
  ];
  return (
    <>
      {mayWrite && (
        <div className={style['actions']}>
          <button type="button" onClick={() => setMaking(true)}>
            Make a key
          </button>
        </div>
      )}
      {rotate.error !== null && <Problem error={rotate.error} />}
      <Known query={keys}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          return items.length === 0 ? (
            <Notice>
              <p>No key yet. A key lets your backend send events and record orders of {site.name}.</p>
            </Notice>
          ) : (
            <DataTable
              name="keys"
              items={items}
              columns={columns}
              keyOf={({ id }) => id}
              onMore={keys.hasNextPage ? () => void keys.fetchNextPage() : undefined}
              isLoadingMore={keys.isFetchingNextPage}
            />
          );
        }}
      </Known>
      {isMaking && (
        <NewKey
          site={site}
          onClose={() => setMaking(false)}
          onMade={(secret) => {
            setMaking(false);
            show(secret);
            void refresh();
          }}
        />
      )}
      {asked !== undefined && (
        <Revoke
          site={site}
          apiKey={asked}
          onClose={() => setAsked(undefined)}
          onDone={() => void refresh()}
        />
      )}
      {shown !== undefined && (
        <SecretOnce
          {...shown}
          onClose={() => {
            setShown(undefined);
            rotate.reset();
          }}
        />
      )}
    </>
  );
}

function NewKey({
  site,
  onClose,
  onMade,
}: {
  readonly site: SiteResource;
  readonly onClose: () => void;
  readonly onMade: (secret: string | null | undefined) => void;
}) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['events:write']);
  const create = useMutation({
    mutationFn: () =>
      api<NewApiKeyResource>({
        method: 'POST',
        path: `/sites/${site.id}/api-keys`,
        idempotencyKey,
        body: { name, scopes },
        workspaceId: workspace.id,
      }),
    onSuccess: ({ key }) => onMade(key),
    gcTime: 0,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!create.isPending) create.mutate();
  };
  const toggle = (scope: Scope): void =>
    setScopes(scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope]);
  const refused = fieldErrors(create.error, ['name', 'scopes']);
  const { byField } = refused;
  return (
    <Dialog title={`A key for ${site.name}`} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <FormProblem error={create.error} refused={refused} />
        <Field label="Name" hint="Where it is used" error={byField('name')}>
          <input value={name} onChange={({ target }) => setName(target.value)} autoComplete="off" />
        </Field>
        <div className={style['field']}>
          <fieldset>
            <legend>It may</legend>
            {SCOPES.map(({ scope, meaning }) => (
              <div key={scope} className={style['option']}>
                <input
                  type="checkbox"
                  id={`scope-${scope}`}
                  checked={scopes.includes(scope)}
                  onChange={() => toggle(scope)}
                />
                <label htmlFor={`scope-${scope}`}>
                  {meaning} (<code>{scope}</code>)
                </label>
              </div>
            ))}
          </fieldset>
          {byField('scopes') !== undefined && <p className={style['error']}>{byField('scopes')}</p>}
        </div>
        <div className={style['actions']}>
          <button type="submit" disabled={create.isPending}>
            Make it
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Revoke({
  site,
  apiKey,
  onClose,
  onDone,
}: {
  readonly site: SiteResource;
  readonly apiKey: ApiKeyResource;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const revoke = useMutation({
    mutationFn: () =>
      api({ method: 'DELETE', path: `/sites/${site.id}/api-keys/${apiKey.id}`, workspaceId: workspace.id }),
    onSuccess: () => {
      onDone();
      onClose();
    },
  });
  return (
    <Dialog title={`Revoke ${apiKey.name}?`} onClose={onClose}>
      <p>
        Requests with <code>{apiKey.prefix}…</code> are refused within a second. This cannot be undone.
      </p>
      {revoke.error !== null && <Problem error={revoke.error} />}
      <div className={style['actions']}>
        <button type="button" disabled={revoke.isPending} onClick={() => revoke.mutate()}>
          Revoke it
        </button>
        <button type="button" onClick={onClose}>
          Keep it
        </button>
      </div>
    </Dialog>
  );
}

function State({ apiKey, zone }: { readonly apiKey: ApiKeyResource; readonly zone: string }) {
  const state = stateOf(apiKey);
  const at = state === 'revoked' ? apiKey.revoked_at : apiKey.expires_at;
  return (
    <>
      <span className={style['badge']}>{state}</span>
      {at !== null && (
        <>
          {' '}
          {state === 'active' ? 'until ' : ''}
          <Instant at={at} zone={zone} />
        </>
      )}
    </>
  );
}

function stateOf({
  revoked_at: revokedAt,
  expires_at: expiresAt,
}: ApiKeyResource): 'active' | 'expired' | 'revoked' {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'active';
}

function instant(at: string | null, zone: string) {
  return at === null ? 'never' : <Instant at={at} zone={zone} />;
}
