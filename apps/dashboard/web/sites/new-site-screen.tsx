import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { SiteResource } from '@truetally/node';
import { useEffect, useMemo, useState } from 'react';
import { useForm } from 'react-hook-form';
import { fieldErrors } from '../api/field-errors.js';
import { Field } from '../elements/field.js';
import { Problem } from '../elements/problem.js';
import { Screen } from '../layout/screen.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { keepDraft, readDraft, removeDraft } from '../session/draft-store.js';
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
  const { api, session } = usePage();
  const { workspace } = useWorkspace();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const [key] = useState(() => crypto.randomUUID());
  const place = useMemo(
    () => ({ user: session.user, form: `new-site:${workspace.id}` }),
    [session.user, workspace.id],
  );
  const empty: SiteForm = {
    name: '',
    domain: '',
    allowed_origins: '',
    currency: 'EUR',
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
  const { register, handleSubmit, watch, setFocus } = useForm<SiteForm>({
    defaultValues: { ...empty, ...readDraft<SiteForm>(place) },
  });
  const create = useMutation({
    mutationFn: (form: SiteForm) =>
      api<SiteResource>({
        method: 'POST',
        path: '/sites',
        workspaceId: workspace.id,
        idempotencyKey: key,
        body: {
          ...form,
          allowed_origins: form.allowed_origins.split(/[\s,]+/).filter((origin) => origin !== ''),
        },
      }),
    onSuccess: async (site) => {
      removeDraft(place);
      await cache.invalidateQueries({ queryKey: ['w', workspace.id, 'sites'] });
      await navigate({
        to: '/w/$workspaceId/sites',
        params: { workspaceId: workspace.id },
        search: { site: site.id },
      });
    },
  });
  useEffect(() => {
    const subscription = watch((values) => keepDraft(place, values));
    return () => subscription.unsubscribe();
  }, [watch, place]);
  const { byField, rest, isFullyShown } = fieldErrors(create.error, FIELDS);
  const firstWrong = FIELDS.find((name) => byField(name) !== undefined);
  useEffect(() => {
    if (create.error !== null && firstWrong !== undefined) setFocus(firstWrong);
  }, [create.error, firstWrong, setFocus]);
  return (
    <Screen title="Add a site">
      <form onSubmit={(event) => void handleSubmit((form) => create.mutate(form))(event)} noValidate>
        {create.error !== null && !isFullyShown && <Problem error={create.error} />}
        {rest.map(([path, said]) => (
          <p key={path} role="alert">
            <code>{path}</code> {said.join('; ')}
          </p>
        ))}
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
        <Field label="Currency" hint="ISO 4217, for amounts that name none" error={byField('currency')}>
          <input {...register('currency')} autoComplete="off" />
        </Field>
        <Field label="Time zone" hint="Whose days reports count" error={byField('timezone')}>
          <input {...register('timezone')} autoComplete="off" />
        </Field>
        <button type="submit" disabled={create.isPending}>
          Add the site
        </button>
      </form>
    </Screen>
  );
}
