import { useMutation } from '@tanstack/react-query';
import type { ApiKeyResource, NewApiKeyResource, SiteResource } from '@truetally/node';
import { type FormEvent, useState } from 'react';
import { fieldErrors } from '../api/field-errors.js';
import { Dialog } from '../elements/dialog.js';
import { DialogActions } from '../elements/dialog-actions.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { FormProblem } from '../elements/form-problem.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';
import type { useDraft } from '../session/use-draft.js';

type Scope = ApiKeyResource['scopes'][number];
const SCOPES: readonly { readonly scope: Scope; readonly meaning: string }[] = [
  { scope: 'events:write', meaning: 'send events' },
  { scope: 'partner_attribution:convert', meaning: 'record orders' },
  { scope: 'partner_attribution:read', meaning: 'read orders and touches' },
  { scope: 'analytics:read', meaning: 'read analytics' },
  { scope: 'profiles:import', meaning: 'import profiles' },
  { scope: 'commerce:write', meaning: 'write products' },
];

/** What is typed; a key's text is made by the service, and is in no draft. */
export interface KeyDraft {
  readonly name: string;
  readonly scopes: readonly Scope[];
}

export function NewKey({
  site,
  draft,
  onClose,
  onMade,
}: {
  readonly site: SiteResource;
  readonly draft: ReturnType<typeof useDraft<KeyDraft>>;
  readonly onClose: () => void;
  readonly onMade: (secret: string | null | undefined) => void;
}) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const [typed, setTyped] = useState<KeyDraft>({ name: '', scopes: ['events:write'], ...draft.kept });
  const { name, scopes } = typed;
  const change = (changed: Partial<KeyDraft>): void => {
    setTyped({ ...typed, ...changed });
    draft.keep({ ...typed, ...changed });
  };
  const create = useMutation({
    mutationFn: () =>
      api<NewApiKeyResource>({
        method: 'POST',
        path: `/sites/${site.id}/api-keys`,
        idempotencyKey,
        body: typed,
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
    change({
      scopes: scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope],
    });
  const refused = fieldErrors(create.error, ['name', 'scopes']);
  const { byField } = refused;
  return (
    <Dialog title={`A key for ${site.name}`} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <FormProblem error={create.error} refused={refused} />
        <Field label="Name" hint="Where it is used" error={byField('name')}>
          <input value={name} onChange={({ target }) => change({ name: target.value })} autoComplete="off" />
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
        <DialogActions verb="Make it" isBusy={create.isPending} onKeep={onClose} />
      </form>
    </Dialog>
  );
}
