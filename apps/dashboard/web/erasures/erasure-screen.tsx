import { useParams } from '@tanstack/react-router';
import type { ErasureResource, SiteResource } from '@truetally/node';
import { DataTable } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Instant } from '../elements/instant.js';
import { Known } from '../layout/screen.js';
import { SiteScreen } from '../layout/site-screen.js';
import { useRead } from '../layout/use-read.js';
import { useSiteOf } from '../layout/workspace-context.js';

const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 10_000;

/** The proof of one erasure, under an address that stays. */
export function ErasureScreen() {
  return (
    <SiteScreen title="Proof of an erasure" roles={['owner', 'admin']}>
      {(site) => <Proof site={site} />}
    </SiteScreen>
  );
}

function Proof({ site }: { readonly site: SiteResource }) {
  const siteOf = useSiteOf(site);
  const { erasureId } = useParams({ from: '/w/$workspaceId/erasures/$erasureId' });
  const erasure = useRead<ErasureResource>(
    `/profiles/erasures/${encodeURIComponent(erasureId)}`,
    {},
    {
      // An erasure is a job: it is watched until it ends, ever more slowly.
      refetchMs: (data, answers) =>
        data !== undefined && data.finished_at !== null
          ? false
          : Math.min(FIRST_PAUSE_MS * (answers + 1), LONGEST_PAUSE_MS),
    },
  );
  return (
    <Known query={erasure}>
      {(data) => {
        const { timezone: zone } = siteOf(data);
        return (
          <>
            <dl className={style['facts']}>
              <dt>Proof</dt>
              <dd>
                <code>{data.id}</code>
              </dd>
              <dt>Requested</dt>
              <dd>
                <Instant at={data.requested_at} zone={zone} /> ({zone}) by{' '}
                {data.requested_by === null ? 'the service' : <code>{data.requested_by}</code>}
              </dd>
              <dt>Finished</dt>
              <dd>
                <span role="status">
                  {data.finished_at === null ? 'under way' : <Instant at={data.finished_at} zone={zone} />}
                </span>
              </dd>
            </dl>
            <DataTable
              name="services"
              items={data.services}
              keyOf={({ service }) => service}
              columns={[
                { title: 'Service', cell: ({ service }) => service },
                { title: 'State', cell: ({ state }) => <span className={style['badge']}>{state}</span> },
                {
                  title: 'Confirmed',
                  cell: ({ confirmed_at: at }) => (at === null ? 'not yet' : <Instant at={at} zone={zone} />),
                },
                {
                  title: 'Profiles',
                  isNumber: true,
                  cell: ({ removed }) => removed.profiles.toLocaleString('en'),
                },
                {
                  title: 'Events',
                  isNumber: true,
                  cell: ({ removed }) => removed.events.toLocaleString('en'),
                },
                {
                  title: 'Submissions',
                  isNumber: true,
                  cell: ({ removed }) => removed.submissions.toLocaleString('en'),
                },
                { title: 'Other', isNumber: true, cell: ({ removed }) => removed.other.toLocaleString('en') },
              ]}
            />
            <p>It names nobody: neither the person’s id nor anything of the content is kept.</p>
          </>
        );
      }}
    </Known>
  );
}
