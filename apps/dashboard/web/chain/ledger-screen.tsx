import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ChainHeadResource, ChainResource, ChainVerification, SiteResource } from '@truetally/node';
import { ActionButton } from '../elements/action-button.js';
import style from '../elements/elements.module.css';
import { Instant } from '../elements/instant.js';
import { Notice, Problem } from '../elements/problem.js';
import { JobProgress } from '../layout/job-progress.js';
import { OrderCommand } from '../layout/next-step.js';
import { Known } from '../layout/screen.js';
import { SiteScreen } from '../layout/site-screen.js';
import { keyOfRead, useRead } from '../layout/use-read.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';
import { ChainCheck } from './chain-check.js';
import { KeptHeads } from './kept-heads.js';

export function LedgerScreen() {
  return <SiteScreen title="Ledger">{(site) => <Ledger key={site.id} site={site} />}</SiteScreen>;
}

const PATH = '/partner-attribution/chain';

function Ledger({ site }: { readonly site: SiteResource }) {
  const { mayWrite } = useWorkspace();
  const chain = useRead<ChainResource>(PATH, { website_id: site.id });
  return (
    <Known query={chain}>
      {({ head, last_verification: last }) =>
        head === null ? (
          <Notice>
            <p>
              No record yet. Each order, adjustment and cancellation of this site becomes a record, sealed
              together with the seal of the record before it.
            </p>
            <OrderCommand site={site} />
          </Notice>
        ) : (
          <>
            <Head head={head} zone={site.timezone} />
            <h2>Verified by the service</h2>
            <LastVerification last={last} zone={site.timezone} />
            {mayWrite && <VerifyNow site={site} />}
            <ChainCheck site={site} head={head} />
            <KeptHeads site={site} head={head} />
          </>
        )
      }
    </Known>
  );
}

function Head({ head, zone }: { readonly head: ChainHeadResource; readonly zone: string }) {
  return (
    <dl className={style['facts']}>
      <dt>Records</dt>
      <dd>{head.sequence}</dd>
      <dt>Newest record</dt>
      <dd>
        <Instant at={head.recorded_at} zone={zone} />
      </dd>
      <dt>Its seal, the head</dt>
      <dd>
        <code>{head.hash}</code>
      </dd>
    </dl>
  );
}

function LastVerification({
  last,
  zone,
}: {
  readonly last: ChainVerification | null;
  readonly zone: string;
}) {
  if (last === null) return <p>Not verified yet: that happens by itself within the hour.</p>;
  const { broken } = last;
  return (
    <div
      className={broken === null ? style['notice'] : `${style['notice']} ${style['bad']}`}
      role={broken === null ? undefined : 'alert'}
    >
      <p>
        <strong>{last.state}</strong>, from place {last.from_sequence} to place {last.to_sequence}, at{' '}
        <Instant at={last.finished_at} zone={zone} />.
      </p>
      {broken !== null && (
        <p>
          Place {broken.sequence}
          {broken.order_id !== null && (
            <>
              , order <code>{broken.order_id}</code>
            </>
          )}
          : {broken.reason}
        </p>
      )}
    </div>
  );
}

/** The whole chain, from its first record on. */
function VerifyNow({ site }: { readonly site: SiteResource }) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const cache = useQueryClient();
  const begin = useMutation({
    mutationFn: () =>
      api<{ readonly job_id: string }>({
        method: 'POST',
        path: `${PATH}/verifications`,
        body: { website_id: site.id },
        workspaceId: workspace.id,
      }),
  });
  const refresh = (): void =>
    void cache.invalidateQueries({ queryKey: keyOfRead(workspace.id, PATH, { website_id: site.id }) });
  return (
    <>
      <div className={style['actions']}>
        <ActionButton isBusy={begin.isPending} onClick={() => begin.mutate()}>
          Verify the whole chain now
        </ActionButton>
      </div>
      {begin.error !== null && <Problem error={begin.error} />}
      {begin.data !== undefined && (
        <JobProgress key={begin.data.job_id} jobId={begin.data.job_id} onOver={refresh} />
      )}
    </>
  );
}
