import type { TouchResource } from '@truetally/contracts/attribution';
import {
  appendToOutbox,
  type Closing,
  decideUntilWon,
  ErasedSites,
  inHotTransaction,
} from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import {
  type DecidedTouches,
  decideTouches,
  type KeptTouch,
  touchKey,
  type TouchRequest,
} from '../domain/decide-touches.js';
import { touchFact } from '../domain/facts.js';
import { toMilliseconds } from '../domain/instants.js';
import { touchRowIdOf } from '../domain/names.js';
import { PLAN_BY_INDEX } from './plan-settings.js';
import { insertTouches } from './touch-rows.js';

const LOCK_TIMEOUT_MS = 4_000;
const OPENING = `
  set local lock_timeout = ${LOCK_TIMEOUT_MS};
  ${PLAN_BY_INDEX};
  select date_trunc('milliseconds', clock_timestamp())::text as now, erasures_seen() as erasures`;

interface Opened {
  readonly now: string;
  /** Input of `ErasedSites`. */
  readonly erasures: string;
}

const READ_KEPT = `
  select t.site_id, t.touch_id, t.id, t.fingerprint, t.recorded_at::text, t.correlation_id
  from unnest($1::uuid[]) as asked (id)
  cross join lateral (select * from touches t where t.id = asked.id limit 1) t`;

interface KeptRow {
  readonly site_id: string;
  readonly touch_id: string;
  readonly id: string;
  readonly fingerprint: string;
  readonly recorded_at: string;
  readonly correlation_id: string;
}

/** Touches, each stored once. */
export class TouchStore {
  private readonly erasedSites = new ErasedSites();

  constructor(
    private readonly pool: Pool,
    private readonly onLostRace: () => void,
  ) {}

  /**
   * Stores new touches of these requests and their facts in one transaction.
   * @throws Postgres' error, and LostRaceError; the same requests may be retried
   */
  async record(requests: readonly TouchRequest[]): Promise<DecidedTouches> {
    return decideUntilWon(
      () =>
        inHotTransaction<Opened, DecidedTouches>(this.pool, OPENING, async (client, [opened]) => {
          const { now = '', erasures = '0' } = opened ?? {};
          return recordIn(client, requests, now, await this.erasedSites.at(client, erasures));
        }),
      this.onLostRace,
    );
  }

  /** A page of a site's touches, newest first. @param after the previous page's last item */
  async list(siteId: string, limit: number, after: TouchPosition | null): Promise<readonly ListedTouch[]> {
    const { rows } = await this.pool.query<ListedRow>({
      name: 'list-touches',
      text: LIST_TOUCHES,
      values: [siteId, after?.recordedAt ?? 'infinity', after?.id ?? LAST_ID, limit],
    });
    return rows.map(({ position, ...touch }) => ({
      touch: {
        ...touch,
        occurred_at: toMilliseconds(touch.occurred_at),
        recorded_at: toMilliseconds(position),
      },
      position: { recordedAt: position, id: touch.id },
    }));
  }
}

export interface TouchPosition {
  readonly recordedAt: string;
  readonly id: string;
}

export interface ListedTouch {
  readonly touch: TouchResource;
  readonly position: TouchPosition;
}

type ListedRow = Omit<TouchResource, 'recorded_at'> & { readonly position: string };

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const LIST_TOUCHES = `
  select id, touch_id, provider, direction, partner_id, landing_path, occurred_at::text, provenance, session_id,
    recorded_at::text as position
  from touches where site_id = $1 and (recorded_at, id) < ($2::timestamptz, $3::uuid)
  order by recorded_at desc, id desc limit $4`;

async function recordIn(
  client: ClientBase,
  requests: readonly TouchRequest[],
  now: string,
  erased: ReadonlySet<string>,
): Promise<Closing<DecidedTouches>> {
  const decided = decideTouches(requests, { kept: await readKept(client, requests), erased }, now);
  if (decided.added.length > 0) {
    await insertTouches(client, decided.added);
    await appendToOutbox(client, decided.added.map(touchFact));
  }
  return { value: decided, closing: '' };
}

async function readKept(
  client: ClientBase,
  requests: readonly TouchRequest[],
): Promise<Map<string, KeptTouch>> {
  const ids = requests.flatMap(({ request }) =>
    request.touches.map(({ touch_id }) => touchRowIdOf(request.site_id, touch_id)),
  );
  const { rows } = await client.query<KeptRow>({
    name: 'read-kept-touches',
    text: READ_KEPT,
    values: [[...new Set(ids)]],
  });
  return new Map(rows.map((row) => [touchKey(row.site_id, row.touch_id), toKept(row)]));
}

function toKept(row: KeptRow): KeptTouch {
  return {
    id: row.id,
    siteId: row.site_id,
    fingerprint: row.fingerprint,
    recordedAt: row.recorded_at,
    correlationId: row.correlation_id,
  };
}
