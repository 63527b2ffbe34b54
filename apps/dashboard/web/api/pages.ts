/** A page of a list (interface page, section 1). */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

/** For `useInfiniteQuery` over cursors. */
export const cursors = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page: Page<unknown>): string | undefined => page.next_cursor ?? undefined,
};
