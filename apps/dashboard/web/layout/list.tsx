import type { ReactNode } from 'react';
import { type Column, DataTable } from '../elements/data-table.js';
import { Notice, Problem } from '../elements/problem.js';
import { Known } from './screen.js';
import type { useList } from './use-read.js';

/** A list with its four states: loading, refused, empty and shown. */
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
    <Items list={list}>
      {(items, refusal) =>
        items.length === 0 ? (
          <Notice>{empty}</Notice>
        ) : (
          <DataTable
            name={name}
            items={items}
            columns={typeof columns === 'function' ? columns(items) : columns}
            keyOf={keyOf}
            onMore={list.hasNextPage ? more : undefined}
            isLoadingMore={list.isFetchingNextPage}
            refusal={refusal}
          />
        )
      }
    </Items>
  );
}

/** What is read of a list so far, and what refuses more of it: it stands where more was asked for, and may be asked for again. */
export function Items<T>({
  list,
  children,
}: {
  readonly list: ReturnType<typeof useList<T>>;
  readonly children: (items: readonly T[], refusal: ReactNode) => ReactNode;
}) {
  const refused = list.isFetchNextPageError;
  return (
    <Known query={refused ? { ...list, error: null } : list}>
      {({ pages }) =>
        children(
          pages.flatMap((page) => page.items),
          refused && <Problem error={list.error} />,
        )
      }
    </Known>
  );
}
