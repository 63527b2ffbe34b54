import type { Trail, TrailItem } from '@truetally/node';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Which kinds an id can be, by the names of the API. */
export function namesOfId(id: string): readonly ('client_event_id' | 'event_id' | 'request_id')[] {
  return UUID.test(id) ? ['event_id', 'client_event_id', 'request_id'] : ['client_event_id', 'request_id'];
}

/** Several trails as one: each item once, newest first and within a request by its place; the search as far as all went. */
export function joinTrails(trails: readonly Trail[]): {
  readonly items: readonly TrailItem[];
  readonly isCut: boolean;
  readonly searched: Trail['searched'];
} {
  const items = new Map<string, TrailItem>();
  for (const item of trails.flatMap((trail) => trail.items)) {
    items.set(
      JSON.stringify([item.request_id, item.index, item.event_id, item.outcome, item.received_at]),
      item,
    );
  }
  const ordered = [...items.values()].sort(
    (left, right) =>
      right.received_at.localeCompare(left.received_at) ||
      left.request_id.localeCompare(right.request_id) ||
      (left.index ?? 0) - (right.index ?? 0),
  );
  const refused = trails.map(({ searched }) => searched.refused_since).sort();
  const stored = trails.map(({ searched }) => searched.stored_since).find((since) => since !== null);
  return {
    items: ordered,
    isCut: trails.some(({ next_cursor: next }) => next !== null),
    searched: { stored_since: stored ?? null, refused_since: refused.at(-1) ?? '' },
  };
}
