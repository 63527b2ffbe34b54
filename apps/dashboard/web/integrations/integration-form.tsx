import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { IntegrationResource, SiteResource } from '@truetally/node';
import { type FormEvent, useState } from 'react';
import { fieldErrors } from '../api/field-errors.js';
import { Dialog } from '../elements/dialog.js';
import { DialogActions } from '../elements/dialog-actions.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { FormProblem } from '../elements/form-problem.js';
import { Options } from '../elements/options.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';
import type { useDraft } from '../session/use-draft.js';

type Provider = IntegrationResource['provider'];

export const PROVIDER_WORDS: Readonly<Record<Provider, string>> = {
  awin: 'Awin',
  cj: 'CJ',
  product_feed: 'Product feed',
};
const NETWORK = { publisher_id: 'Publisher id', api_token: 'API token' };
const FEED = { username: 'User name', password: 'Password' };
const SECRETS = new Set(['api_token', 'password']);
const FIELDS = [
  'provider',
  'base_url',
  ...Object.keys({ ...NETWORK, ...FEED }).map((name) => `credentials.${name}`),
];

/** What is typed, by the fields' names; a secret is in no draft. */
export type IntegrationDraft = Readonly<Record<string, string>>;

/** Adds an integration, or gives a known one other credentials: what was given before is never shown. */
export function IntegrationForm({
  site,
  known,
  draft: { kept = {}, keep },
  onClose,
}: {
  readonly site: SiteResource;
  readonly known?: IntegrationResource;
  readonly draft: ReturnType<typeof useDraft<IntegrationDraft>>;
  readonly onClose: () => void;
}) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const cache = useQueryClient();
  const [provider, setProvider] = useState(
    known?.provider ?? (kept['provider'] as Provider | undefined) ?? 'awin',
  );
  // Also what another provider's fields had, which are not in the form just now.
  const [typed, setTyped] = useState<IntegrationDraft>(kept as IntegrationDraft);
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const store = useMutation({
    mutationFn: (body: object) =>
      known === undefined
        ? api({ method: 'POST', path: '/integrations', body, workspaceId: workspace.id, idempotencyKey })
        : api({
            method: 'PATCH',
            path: `/integrations/${known.id}`,
            body,
            version: known.version,
            workspaceId: workspace.id,
          }),
    // Also after a refusal: the next attempt changes what somebody else has made of it.
    onSettled: () => cache.invalidateQueries({ queryKey: ['w', workspace.id] }),
    onSuccess: onClose,
    // What was sent holds credentials: nothing of it stays in the page's memory.
    gcTime: 0,
  });
  const remember = ({ currentTarget }: FormEvent<HTMLFormElement>): void => {
    const shown = [...new FormData(currentTarget)].filter(([name]) => !SECRETS.has(name));
    const all = { ...typed, ...(Object.fromEntries(shown) as IntegrationDraft) };
    setTyped(all);
    keep(all);
  };
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (store.isPending) return;
    const form = new FormData(event.currentTarget);
    const text = (name: string): string | undefined => {
      const value = form.get(name);
      return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
    };
    const names = Object.keys(provider === 'product_feed' ? FEED : NETWORK);
    const given = names.flatMap((name) => {
      const value = text(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    store.mutate({
      ...(known === undefined && { site_id: site.id, provider }),
      ...((provider !== 'product_feed' || given.length > 0) && { credentials: Object.fromEntries(given) }),
      base_url: text('base_url') ?? null,
    });
  };
  const refused = fieldErrors(store.error, FIELDS);
  return (
    <Dialog
      title={known === undefined ? `An integration of ${site.name}` : 'Other credentials'}
      onClose={onClose}
    >
      <form onSubmit={submit} onInput={remember} noValidate>
        <FormProblem error={store.error} refused={refused} />
        {known === undefined && (
          <Field label="Provider" error={refused.byField('provider')}>
            <select
              name="provider"
              value={provider}
              onChange={({ target }) => setProvider(target.value as Provider)}
            >
              <Options of={PROVIDER_WORDS} />
            </select>
          </Field>
        )}
        {Object.entries(provider === 'product_feed' ? FEED : NETWORK).map(([name, label]) => (
          <Field key={name} label={label} error={refused.byField(`credentials.${name}`)}>
            <input
              name={name}
              type={SECRETS.has(name) ? 'password' : 'text'}
              defaultValue={typed[name] ?? ''}
              autoComplete={SECRETS.has(name) ? 'new-password' : 'off'}
            />
          </Field>
        ))}
        <p className={style['hint']}>Credentials are stored encrypted, and are never shown again.</p>
        <Field
          label={provider === 'product_feed' ? 'Address of the feed' : 'Address'}
          hint={provider === 'product_feed' ? 'Required' : 'Empty: the network’s own'}
          error={refused.byField('base_url')}
        >
          <input
            name="base_url"
            type="url"
            defaultValue={kept['base_url'] ?? known?.base_url ?? ''}
            autoComplete="off"
          />
        </Field>
        <DialogActions
          verb={known === undefined ? 'Add it' : 'Store them'}
          isBusy={store.isPending}
          onKeep={onClose}
        />
      </form>
    </Dialog>
  );
}
