import { type ReactNode, useEffect } from 'react';
import { hasPart } from '../domain/name-part.js';
import { type Column, DataTable } from '../elements/data-table.js';
import { Notice, Problem } from '../elements/problem.js';
import { Known } from './screen.js';
import type { useList } from './use-read.js';

/** Whoever looks for a name in a longer list asks for the rest by "More". */
const MOST_PAGES_AT_ONCE = 25;

/** A list with its four states: loading, refused, empty and shown. */
export function List<T>({
  list,
  name,
  columns,
  keyOf,
  empty,
  find,
}: {
  readonly list: ReturnType<typeof useList<T>>;
  readonly name: string;
  /** By what is read so far, where they depend on it. */
  readonly columns: readonly Column<T>[] | ((items: readonly T[]) => readonly Column<T>[]);
  readonly keyOf: (item: T) => string;
  /** What would stand here, and the next step. */
  readonly empty: ReactNode;
  /** Shows those alone whose name has the part; the API has no such filter, so that the pages are read for it. */
  readonly find?: { readonly part: string | undefined; readonly nameOf: (item: T) => string };
}) {
  const more = (): void => void list.fetchNextPage();
  const { data, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = list;
  const part = find?.part;
  const isLooking =
    part !== undefined &&
    hasNextPage &&
    !isFetchNextPageError &&
    (data?.pages.length ?? 0) < MOST_PAGES_AT_ONCE;
  useEffect(() => {
    if (isLooking && !isFetching) void fetchNextPage();
  }, [isLooking, isFetching, fetchNextPage]);
  const fitting = (items: readonly T[]): readonly T[] =>
    find === undefined || part === undefined ? items : items.filter((one) => hasPart(find.nameOf(one), part));
  return (
    <Items list={list}>
      {(items, refusal) =>
        items.length === 0 ? (
          <Notice>{empty}</Notice>
        ) : fitting(items).length === 0 && !hasNextPage ? (
          <Notice>
            <p>
              None of {items.length} {name} has it in the name.
            </p>
          </Notice>
        ) : (
          <DataTable
            name={name}
            items={fitting(items)}
            columns={typeof columns === 'function' ? columns(items) : columns}
            keyOf={keyOf}
            onMore={list.hasNextPage ? more : undefined}
            isLoadingMore={list.isFetchingNextPage || isLooking}
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
