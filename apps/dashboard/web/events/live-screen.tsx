import { Link, useSearch } from '@tanstack/react-router';
import type { SiteResource } from '@truetally/node';
import { memo } from 'react';
import { type Arrival, idOf } from '../domain/live-rows.js';
import style from '../elements/elements.module.css';
import { Notice, Problem } from '../elements/problem.js';
import { useRowKeys } from '../elements/use-row-keys.js';
import { ToFirstEvent } from '../layout/next-step.js';
import { SiteScreen } from '../layout/site-screen.js';
import { useShown } from '../layout/use-shown.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { useOneStream } from '../session/one-stream.js';
import { columnsFor } from './event-columns.js';
import { EventFilters, filtersOf } from './event-filters.js';
import { useLiveEvents } from '../layout/use-live-events.js';

const MS_PER_SECOND = 1000;

export function LiveScreen() {
  const filters = filtersOf(useSearch({ from: '/w/$workspaceId/live' }));
  return (
    <SiteScreen title="Live events">
      {(site) => (
        <>
          <EventFilters values={filters} />
          {/* Another question begins anew: rows of two of them do not mix. */}
          <Live key={`${site.id} ${JSON.stringify(filters)}`} site={site} filters={filters} />
        </>
      )}
    </SiteScreen>
  );
}

function Live({
  site,
  filters,
}: {
  readonly site: SiteResource;
  readonly filters: ReturnType<typeof filtersOf>;
}) {
  const isShown = useShown();
  const { isHeld, isElsewhere, take } = useOneStream(isShown);
  const stream = useLiveEvents({ site_id: site.id, ...filters }, isHeld);
  const { live, isConnected, lagMs, error, pause, resume, tryAgain } = stream;
  const isPaused = live.held !== undefined;
  const said = isPaused ? 'Paused' : isConnected ? 'Live' : 'Connecting';
  return (
    <>
      {isElsewhere && (
        <Notice>
          <p>Another tab of this browser shows live events; a browser has one stream for all of its tabs.</p>
          <button type="button" onClick={take}>
            Show them here
          </button>
        </Notice>
      )}
      {error !== undefined && <Problem error={error} onRetry={tryAgain} />}
      {!isElsewhere && error === undefined && (
        <p>
          <span className={style['badge']} role="status">
            {said}
          </span>{' '}
          {lagMs !== undefined && `The last event was here ${secondsOf(lagMs)} s after it was received.`}
        </p>
      )}
      <div className={style['actions']}>
        <button type="button" onClick={isPaused ? resume : pause}>
          {isPaused ? `Go on (${live.heldEvents.toLocaleString('en')} new)` : 'Pause'}
        </button>
      </div>
      {live.rows.length === 0 ? (
        <Notice>
          <p>Nothing came since this screen was opened. What is stored from now on stands here at once.</p>
          <ToFirstEvent />
        </Notice>
      ) : (
        <Rows rows={live.rows} site={site} />
      )}
    </>
  );
}

function secondsOf(ms: number): string {
  return (ms / MS_PER_SECOND).toFixed(1);
}

function Rows({ rows, site }: { readonly rows: readonly Arrival[]; readonly site: SiteResource }) {
  const events = rows.filter(({ kind }) => kind === 'event').length;
  const place = useRowKeys<HTMLDivElement>();
  return (
    <div ref={place} className={style['scroll']} role="region" aria-label="live events" tabIndex={0}>
      <table className={style['stacked']}>
        <caption>Shown live events: {events}, newest first</caption>
        <thead>
          <tr>
            {columnsFor(site.timezone).map(({ title }) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((arrival) => (
            <Row key={idOf(arrival)} arrival={arrival} site={site} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Painted once: a batch of new rows leaves the others as they are. */
const Row = memo(function Row({ arrival, site }: { readonly arrival: Arrival; readonly site: SiteResource }) {
  const columns = columnsFor(site.timezone);
  if (arrival.kind === 'gap') {
    return (
      <tr className={style['gap']}>
        <td colSpan={columns.length}>
          <Gap count={arrival.count} siteId={site.id} />
        </td>
      </tr>
    );
  }
  return (
    <tr>
      {columns.map(({ title, cell }) => (
        <td key={title} data-title={title}>
          {cell(arrival.event)}
        </td>
      ))}
    </tr>
  );
});

function Gap({ count, siteId }: { readonly count: number | undefined; readonly siteId: string }) {
  const { workspace } = useWorkspace();
  return (
    <>
      <strong>Gap.</strong>{' '}
      {count === undefined
        ? 'The connection could not go on where it was: events may be missing here.'
        : `At least ${count.toLocaleString('en')} events are not shown here: this page was too slow.`}{' '}
      <Link to="/w/$workspaceId/events" params={{ workspaceId: workspace.id }} search={{ site: siteId }}>
        Stored events
      </Link>{' '}
      has them.
    </>
  );
}
