import type { OrderResource } from '@truetally/node';

/** An order from its pages: entries of all of them, and the state that the last one says. */
export function wholeOrder(pages: readonly OrderResource[]): OrderResource | undefined {
  const last = pages.at(-1);
  return (
    last && {
      ...last,
      entries: pages.flatMap(({ entries }) => entries),
      commission_entries: pages.flatMap(({ commission_entries: entries }) => entries),
    }
  );
}
