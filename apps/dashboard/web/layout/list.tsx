import type { ReactNode } from 'react';
import { type Column, DataTable } from '../elements/data-table.js';
import { Notice, Problem } from '../elements/problem.js';
import { Known } from './screen.js';
import type { useList } from './use-read.js';

/** A list with its four states: loading, refused, empty and shown. What refuses more of it stands where more was asked for. */
export function List<T>({
  list,
  name,
  columns,
  keyOf,
  empty,
}: {
  readonly list: ReturnType<typeof useList<T>>;
  readonly name: string;
  /** By what is read so far, where they depend on it. */
  readonly columns: readonly Column<T>[] | ((items: readonly T[]) => readonly Column<T>[]);
  readonly keyOf: (item: T) => string;
  /** What would stand here, and the next step. */
  readonly empty: ReactNode;
}) {
  const more = (): void => void list.fetchNextPage();
  return (
    <Known query={list.isFetchNextPageError ? { ...list, error: null } : list}>
      {({ pages }) => {
        const items = pages.flatMap((page) => page.items);
        return items.length === 0 ? (
          <Notice>{empty}</Notice>
        ) : (
          <>
            <DataTable
              name={name}
              items={items}
              columns={typeof columns === 'function' ? columns(items) : columns}
              keyOf={keyOf}
              onMore={list.hasNextPage && !list.isFetchNextPageError ? more : undefined}
              isLoadingMore={list.isFetchingNextPage}
            />
            {list.isFetchNextPageError && <Problem error={list.error} onRetry={more} />}
          </>
        );
      }}
    </Known>
  );
}
