import type { Position } from '@truetally/kernel';
import type { ClientBase } from 'pg';

/** Which events of a site are asked for; null is any. */
export interface EventFilter {
  readonly siteId: string;
  readonly eventType: string | null;
  readonly sessionKey: string | null;
  readonly requestKey: string | null;
  readonly eventIds: readonly string[] | null;
  readonly after: Position | null;
  readonly limit: number;
}

export interface ListedEvent {
  readonly eventId: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly receivedAt: string;
  /** The same, as exactly as the store has it. */
  readonly at: string;
}

const COLUMNS = `event_id as "eventId", received_at::text as at,
  to_char(received_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "receivedAt"`;

export class EventReads {
  constructor(private readonly client: Pick<ClientBase, 'query'>) {}

  /** Newest first, by the time of storage. */
  async page({ siteId, after, limit, ...filter }: EventFilter): Promise<readonly ListedEvent[]> {
    const values: unknown[] = [siteId, limit];
    const conditions = ['site_id = $1'];
    const add = (condition: (place: string) => string, value: unknown): void => {
      if (value === null) return;
      values.push(value);
      conditions.push(condition(`$${values.length}`));
    };
    add((place) => `event_type = ${place}`, filter.eventType);
    add((place) => `session_key = ${place}::uuid`, filter.sessionKey);
    add((place) => `request_key = ${place}::uuid`, filter.requestKey);
    add((place) => `event_id = any(${place}::uuid[])`, filter.eventIds);
    if (after !== null) {
      values.push(after.at, after.id);
      conditions.push(
        `(received_at, event_id) < ($${values.length - 1}::timestamptz, $${values.length}::uuid)`,
      );
    }
    const { rows } = await this.client.query<ListedEvent>(
      `select ${COLUMNS} from events where ${conditions.join(' and ')}
       order by received_at desc, event_id desc limit $2`,
      values,
    );
    return rows;
  }
}
