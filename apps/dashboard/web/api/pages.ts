/** A page of a list (interface page, section 1). */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

/** The items of all pages, one page after the other. */
export async function allItems<T>(
  read: (cursor: string | undefined) => Promise<Page<T>>,
): Promise<readonly T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    items.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}

/** For `useInfiniteQuery` over cursors. */
export const cursors = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page: Page<unknown>): string | undefined => page.next_cursor ?? undefined,
};
