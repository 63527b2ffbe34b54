import { useMutation } from '@tanstack/react-query';
import type { OrderResource } from '@truetally/node';
import { allItems, type Page } from '../api/pages.js';
import type { Api } from '../api/request.js';
import { counted } from '../domain/counted.js';
import type { Fault, SealedRecord } from '../domain/sealed-record.js';
import { verifyOrder } from '../domain/verify-order.js';
import { ActionButton } from '../elements/action-button.js';
import { Faults } from '../elements/faults.js';
import style from '../elements/elements.module.css';
import { Instant } from '../elements/instant.js';
import { Problem } from '../elements/problem.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';

const PAGE_RECORDS = 500;

/** An order to its end, and when it was read: a later reading was not verified. */
export interface WholeOrder {
  readonly order: OrderResource | undefined;
  readonly readAt: number;
}

interface Verified {
  readonly at: string;
  readonly readAt: number;
  readonly records: readonly SealedRecord[];
  readonly faults: readonly Fault[];
}

/** Seals the order's records again in this browser, and compares them with what the screen shows. */
export function OrderSeal({
  whole,
  shownAt,
  zone,
}: {
  readonly whole: () => Promise<WholeOrder>;
  /** When what is shown was read. */
  readonly shownAt: number;
  readonly zone: string;
}) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const verify = useMutation({
    mutationFn: async (): Promise<Verified> => {
      const { order, readAt } = await whole();
      if (order === undefined) throw new Error('The order is not loaded.');
      const records = await recordsOf(api, workspace.id, order);
      const faults = await verifyOrder(order, records);
      return { at: new Date().toISOString(), readAt, records, faults };
    },
  });
  return (
    <>
      <h2>Is this what was sealed?</h2>
      <p>
        Each entry was sealed into the site’s chain when it was recorded. This page can seal the records again
        by itself, and compare them with what is shown above.
      </p>
      <div className={style['actions']}>
        <ActionButton isBusy={verify.isPending} onClick={() => verify.mutate()}>
          {verify.isPending ? 'Verifying' : 'Verify in my browser'}
        </ActionButton>
      </div>
      {verify.error !== null && <Problem error={verify.error} />}
      {verify.data?.readAt === shownAt && <Result verified={verify.data} zone={zone} />}
    </>
  );
}

function Result({
  verified: { at, records, faults },
  zone,
}: {
  readonly verified: Verified;
  readonly zone: string;
}) {
  const places = records.map(({ sequence }) => sequence).join(', ');
  return faults.length > 0 ? (
    <Faults faults={faults} what="What is shown is not what was sealed." />
  ) : (
    <div className={style['notice']} role="status">
      <p>
        <strong>Sound.</strong> {counted(records.length, 'record')} sealed again at{' '}
        <Instant at={at} zone={zone} />, at {records.length === 1 ? 'place' : 'places'} {places} of the chain.
        Amounts, times, kinds, shares and sums are those that were sealed.
      </p>
      <p>
        Not sealed, and so not verified: the provider and partner of a touch, which are looked up. Whether the
        chain was sealed again as a whole is seen by a kept head, under Ledger.
      </p>
    </div>
  );
}

function recordsOf(api: Api, workspaceId: string, order: OrderResource): Promise<readonly SealedRecord[]> {
  const query = { website_id: order.website_id, order_id: order.order_id, limit: PAGE_RECORDS };
  return allItems((cursor) =>
    api<Page<SealedRecord>>({
      path: '/partner-attribution/chain/records',
      query: { ...query, cursor },
      workspaceId,
    }),
  );
}
