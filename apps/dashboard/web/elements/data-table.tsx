import { memo, type ReactNode } from 'react';
import style from './elements.module.css';
import { More } from './more.js';
import { useRowKeys } from './use-row-keys.js';

export interface Column<T> {
  readonly title: string;
  readonly isNumber?: boolean;
  readonly cell: (item: T) => ReactNode;
}

export interface DataTableProps<T> {
  /** What the rows are; with their number it is the table's caption. */
  readonly name: string;
  readonly items: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly keyOf: (item: T) => string;
  /** Undefined at the end of the list. */
  readonly onMore?: (() => void) | undefined;
  readonly isLoadingMore?: boolean;
  /** Of more, where it was asked for. */
  readonly refusal?: ReactNode;
}

/** As many fit beside each other on a narrow screen. */
const MOST_COLUMNS = 3;

/**
 * A list with a "more" button; it says how many rows are shown, never a total. On a narrow screen the cells of a wide row stand
 * below each other, each after its title: beside each other all but the first would be out of sight.
 */
export function DataTable<T>({
  name,
  items,
  columns,
  keyOf,
  onMore,
  isLoadingMore = false,
  refusal,
}: DataTableProps<T>) {
  const place = useRowKeys<HTMLDivElement>();
  const isWide = columns.length > MOST_COLUMNS;
  return (
    <>
      <div ref={place} className={style['scroll']} role="region" aria-label={name} tabIndex={0}>
        <table className={isWide ? style['stacked'] : undefined}>
          <caption>
            Shown {name}: {items.length}
          </caption>
          {/* Each cell has its own then. */}
          <thead className={isWide ? style['heard-when-narrow'] : undefined}>
            <tr>
              {columns.map(({ title, isNumber }) => (
                <th key={title} scope="col" className={isNumber === true ? style['number'] : undefined}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items.map((item) => (
              <Row key={keyOf(item)} item={item} columns={columns} />
            ))}
          </tbody>
        </table>
      </div>
      {refusal}
      <More name={name} isLoading={isLoadingMore} onMore={onMore} />
    </>
  );
}

/** Drawn anew with its item or its columns: a list whose columns stay draws what has come, and not what is there. */
const Row = memo(RowOf) as typeof RowOf;

function RowOf<T>({ item, columns }: { readonly item: T; readonly columns: readonly Column<T>[] }) {
  return (
    <tr>
      {columns.map(({ title, isNumber, cell }) => (
        <td key={title} data-title={title} className={isNumber === true ? style['number'] : undefined}>
          {cell(item)}
        </td>
      ))}
    </tr>
  );
}
