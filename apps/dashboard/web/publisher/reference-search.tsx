import { useMutation } from '@tanstack/react-query';
import type { FoundClick, SiteResource } from '@truetally/node';
import type { FormEvent } from 'react';
import { ActionButton } from '../elements/action-button.js';
import { DataTable } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { Instant } from '../elements/instant.js';
import { Money } from '../elements/money.js';
import { Problem } from '../elements/problem.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';

/** The click that a reference named and what was settled for it. A reference leads to a person: it stays out of the address. */
export function ReferenceSearch({ site }: { readonly site: SiteResource }) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const find = useMutation({
    mutationFn: (reference: string) =>
      api<FoundClick>({
        path: '/analytics/publishers/clicks',
        query: { reference, site_id: site.id },
        workspaceId: workspace.id,
      }),
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const reference = new FormData(event.currentTarget).get('reference');
    if (typeof reference === 'string' && reference.trim() !== '') find.mutate(reference.trim());
  };
  return (
    <section aria-label="A reference">
      <h2>What became of a reference?</h2>
      <form onSubmit={submit} role="search" aria-label="A reference">
        <Field
          label="Click reference"
          hint="As the link had it; it is neither logged nor kept in the address"
        >
          <input name="reference" autoComplete="off" required />
        </Field>
        <div className={style['actions']}>
          <ActionButton type="submit" isBusy={find.isPending}>
            Find it
          </ActionButton>
        </div>
      </form>
      {find.error !== null && <Problem error={find.error} />}
      {find.data !== undefined && <Found found={find.data} zone={site.timezone} />}
    </section>
  );
}

function Found({
  found: { click, clicks, settlements },
  zone,
}: {
  readonly found: FoundClick;
  readonly zone: string;
}) {
  return (
    <div role="status">
      <p>
        {clicks === 1 ? 'One click' : `${clicks.toLocaleString('en')} clicks, the first`}: by {click.provider}{' '}
        to {click.destination} at <Instant at={click.occurred_at} zone={zone} />, content{' '}
        {click.content_id ?? 'not named'}, event <code>{click.event_id}</code>
      </p>
      {settlements.length === 0 ? (
        <p>Nothing was settled for it yet.</p>
      ) : (
        <DataTable
          name="settlements of it"
          items={settlements}
          keyOf={({ id }) => id}
          columns={[
            { title: 'Transaction', cell: ({ provider_transaction_id: id }) => <code>{id}</code> },
            { title: `At (${zone})`, cell: ({ transaction_at: at }) => <Instant at={at} zone={zone} /> },
            { title: 'Status', cell: ({ status }) => status },
            {
              title: 'Commission',
              isNumber: true,
              cell: ({ commission_amount: amount, currency }) => (
                <Money amount={amount} currency={currency} />
              ),
            },
          ]}
        />
      )}
    </div>
  );
}
