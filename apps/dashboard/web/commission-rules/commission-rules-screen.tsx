import type { CommissionRuleResource, SiteResource } from '@truetally/node';
import { standingOf } from '../domain/commission-standing.js';
import { percentOfRate } from '../domain/percent.js';
import type { Column } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Instant } from '../elements/instant.js';
import { Money } from '../elements/money.js';
import { List } from '../layout/list.js';
import { SiteScreen } from '../layout/site-screen.js';
import { useList } from '../layout/use-read.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { NewRule } from './new-rule.js';

const PAGE_ITEMS = 200;

export function CommissionRulesScreen() {
  return <SiteScreen title="Commission rules">{(site) => <Rules key={site.id} site={site} />}</SiteScreen>;
}

function Rules({ site }: { readonly site: SiteResource }) {
  const { mayWrite } = useWorkspace();
  const rules = useList<CommissionRuleResource>('/partner-attribution/commission-rules', {
    website_id: site.id,
    limit: PAGE_ITEMS,
  });
  return (
    <>
      {mayWrite && <NewRule site={site} />}
      <List
        list={rules}
        name="rules"
        columns={(items) =>
          columnsFor(
            site.timezone,
            // A rule that is not read yet may be the one in force.
            rules.hasNextPage ? undefined : standingOf(items, new Date().toISOString()),
          )
        }
        keyOf={({ id }) => id}
        empty={
          <p>
            No rule yet. Without one, a partner’s touch earns nothing, and experiments know no contribution.
          </p>
        }
      />
    </>
  );
}

function columnsFor(
  zone: string,
  standing: ReadonlyMap<string, string> | undefined,
): readonly Column<CommissionRuleResource>[] {
  return [
    { title: 'Provider', cell: ({ provider }) => provider },
    { title: 'Partner', cell: ({ partner_id: partner }) => partner ?? 'all others' },
    { title: 'Earns', cell: (rule) => <Earned rule={rule} /> },
    { title: `From (${zone})`, cell: ({ effective_from: at }) => <Instant at={at} zone={zone} /> },
    {
      title: 'Standing',
      cell: ({ id }) =>
        standing === undefined ? (
          'known with all rules'
        ) : (
          <span className={style['badge']}>{standing.get(id)}</span>
        ),
    },
  ];
}

function Earned({ rule: { rate, amount, currency } }: { readonly rule: CommissionRuleResource }) {
  if (rate !== null) return `${percentOfRate(rate)} of the commissionable amount`;
  if (amount === null || currency === null) return 'nothing';
  return (
    <>
      <Money amount={amount} currency={currency} /> per order
    </>
  );
}
