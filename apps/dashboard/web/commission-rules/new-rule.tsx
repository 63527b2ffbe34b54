import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { CommissionRuleResource, SiteResource } from '@truetally/node';
import { type FormEvent, useState } from 'react';
import { fieldErrors } from '../api/field-errors.js';
import { dayOf, isDay, LAST_DAY, startOfDay } from '../domain/site-days.js';
import { typedNumber } from '../domain/typed-number.js';
import { Dialog } from '../elements/dialog.js';
import { DialogActions } from '../elements/dialog-actions.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { FormProblem } from '../elements/form-problem.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';
import { useDraft } from '../session/use-draft.js';

const FIELDS = ['provider', 'partner_id', 'rate', 'amount', 'currency', 'effective_from'] as const;

/** The form's texts as they are typed. */
type RuleDraft = { readonly [field in (typeof FIELDS)[number]]?: string } & {
  readonly type?: CommissionRuleResource['type'];
};

/** Adds a rule: rules are never changed, a newer one takes over from its day on. */
export function NewRule({ site }: { readonly site: SiteResource }) {
  const draft = useDraft<RuleDraft>(`new-rule:${site.id}`);
  const [isOpen, setOpen] = useState(draft.kept !== undefined);
  const close = (): void => {
    draft.forget();
    setOpen(false);
  };
  return (
    <div className={style['actions']}>
      <button type="button" onClick={() => setOpen(true)}>
        Add a rule
      </button>
      {isOpen && <RuleDialog site={site} draft={draft} onClose={close} />}
    </div>
  );
}

function RuleDialog({
  site,
  draft: { kept = {}, keep },
  onClose,
}: {
  readonly site: SiteResource;
  readonly draft: ReturnType<typeof useDraft<RuleDraft>>;
  readonly onClose: () => void;
}) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const cache = useQueryClient();
  const [type, setType] = useState(kept.type ?? 'percentage');
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const create = useMutation({
    mutationFn: (body: object) =>
      api({
        method: 'POST',
        idempotencyKey,
        path: '/partner-attribution/commission-rules',
        body,
        workspaceId: workspace.id,
      }),
    onSuccess: async () => {
      await cache.invalidateQueries({
        queryKey: ['w', workspace.id, '/partner-attribution/commission-rules'],
      });
      onClose();
    },
  });
  const remember = ({ currentTarget }: FormEvent<HTMLFormElement>): void =>
    keep(Object.fromEntries(new FormData(currentTarget)) as RuleDraft);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (create.isPending) return;
    const form = new FormData(event.currentTarget);
    const text = (name: string): string => {
      const value = form.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    const day = text('effective_from');
    create.mutate({
      website_id: site.id,
      provider: text('provider'),
      partner_id: text('partner_id') === '' ? null : text('partner_id'),
      type,
      ...(type === 'percentage'
        ? { rate: typedNumber(text('rate')) }
        : { amount: typedNumber(text('amount')), currency: text('currency') }),
      // An emptied one goes as it is: the service says at the field what it expects.
      effective_from: isDay(day) ? startOfDay(day, site.timezone) : day,
    });
  };
  const refused = fieldErrors(create.error, FIELDS);
  const { byField } = refused;
  return (
    <Dialog title={`A commission rule of ${site.name}`} onClose={onClose}>
      <form onSubmit={submit} onInput={remember} noValidate>
        <FormProblem error={create.error} refused={refused} />
        <Field label="Provider" error={byField('provider')}>
          <input
            name="provider"
            defaultValue={kept.provider ?? site.partner.providers[0] ?? ''}
            autoComplete="off"
          />
        </Field>
        <Field label="Partner id" hint="Empty: all without a rule of their own" error={byField('partner_id')}>
          <input name="partner_id" defaultValue={kept.partner_id ?? ''} autoComplete="off" />
        </Field>
        <Field label="Kind">
          <select
            name="type"
            value={type}
            onChange={({ target }) => setType(target.value === 'fixed' ? 'fixed' : 'percentage')}
          >
            <option value="percentage">a share of the commissionable amount</option>
            <option value="fixed">an amount per order</option>
          </select>
        </Field>
        {type === 'percentage' ? (
          <Field label="Rate" hint="0.1 is ten percent" error={byField('rate')}>
            <input name="rate" defaultValue={kept.rate ?? ''} inputMode="decimal" autoComplete="off" />
          </Field>
        ) : (
          <>
            <Field label="Amount" error={byField('amount')}>
              <input name="amount" defaultValue={kept.amount ?? ''} inputMode="decimal" autoComplete="off" />
            </Field>
            <Field label="Currency" error={byField('currency')}>
              <input name="currency" defaultValue={kept.currency ?? site.currency} autoComplete="off" />
            </Field>
          </>
        )}
        <Field label={`First day (${site.timezone})`} error={byField('effective_from')}>
          <input
            type="date"
            max={LAST_DAY}
            name="effective_from"
            defaultValue={kept.effective_from ?? dayOf(new Date().toISOString(), site.timezone)}
            required
          />
        </Field>
        <DialogActions verb="Add it" isBusy={create.isPending} onKeep={onClose} />
      </form>
    </Dialog>
  );
}
