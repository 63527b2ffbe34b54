import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { SiteResource } from '@truetally/node';
import { useState } from 'react';
import { fieldErrors } from '../api/field-errors.js';
import { wordsOf } from '../domain/site-form.js';
import { ActionButton } from '../elements/action-button.js';
import { DialogActions } from '../elements/dialog-actions.js';
import { Field } from '../elements/field.js';
import { FormProblem } from '../elements/form-problem.js';
import { ForRoles } from '../layout/for-roles.js';
import { Screen } from '../layout/screen.js';
import { useDraftedForm } from '../layout/use-drafted-form.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';

interface SiteForm {
  readonly name: string;
  readonly domain: string;
  readonly allowed_origins: string;
  readonly currency: string;
  readonly timezone: string;
}

const FIELDS = ['name', 'domain', 'allowed_origins', 'currency', 'timezone'] as const;

export function NewSiteScreen() {
  const { workspace } = useWorkspace();
  const navigate = useNavigate();
  const open = (site: SiteResource): void =>
    void navigate({
      to: '/w/$workspaceId/sites',
      params: { workspaceId: workspace.id },
      search: { site: site.id },
    });
  return (
    <Screen title="Add a site">
      <ForRoles roles={['owner', 'admin']}>
        <NewSite onMade={open} />
      </ForRoles>
    </Screen>
  );
}

export function NewSite({
  onMade,
  onClose,
}: {
  /** Called when the shell knows it. */
  readonly onMade: (site: SiteResource) => void;
  /** Of the dialog that it stands in; what was typed is kept. */
  readonly onClose?: () => void;
}) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const cache = useQueryClient();
  const [key] = useState(() => crypto.randomUUID());
  const empty: SiteForm = {
    name: '',
    domain: '',
    allowed_origins: '',
    currency: 'EUR',
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
  const { form, forget } = useDraftedForm<SiteForm>(`new-site:${workspace.id}`, empty);
  const { register, handleSubmit } = form;
  const create = useMutation({
    mutationFn: (form: SiteForm) =>
      api<SiteResource>({
        method: 'POST',
        path: '/sites',
        workspaceId: workspace.id,
        idempotencyKey: key,
        body: {
          ...form,
          allowed_origins: wordsOf(form.allowed_origins),
        },
      }),
    onSuccess: async (site) => {
      forget();
      await cache.invalidateQueries({ queryKey: ['w', workspace.id, 'sites'] });
      onMade(site);
    },
  });
  const refused = fieldErrors(create.error, FIELDS);
  const { byField } = refused;
  const submit = handleSubmit((form) => {
    if (!create.isPending) create.mutate(form);
  });
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <FormProblem error={create.error} refused={refused} />
      <Field label="Name" error={byField('name')}>
        <input {...register('name')} autoComplete="off" />
      </Field>
      <Field label="Domain" hint="For example shop.example" error={byField('domain')}>
        <input {...register('domain')} autoComplete="off" />
      </Field>
      <Field
        label="Allowed origins"
        hint="Whose pages may send events: https://shop.example, separated by spaces"
        error={byField('allowed_origins')}
      >
        <input {...register('allowed_origins')} autoComplete="off" />
      </Field>
      <Field
        label="Currency"
        hint="Its three letters, such as EUR, for amounts that name none"
        error={byField('currency')}
      >
        <input {...register('currency')} autoComplete="off" />
      </Field>
      <Field
        label="Time zone"
        hint="For example Europe/Berlin: whose days reports count"
        error={byField('timezone')}
      >
        <input {...register('timezone')} autoComplete="off" />
      </Field>
      {onClose === undefined ? (
        <ActionButton type="submit" isBusy={create.isPending}>
          Add the site
        </ActionButton>
      ) : (
        <DialogActions verb="Add the site" isBusy={create.isPending} onKeep={onClose} />
      )}
    </form>
  );
}
