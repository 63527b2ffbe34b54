import { type ReactNode, useEffect, useRef } from 'react';
import { Loading } from '../elements/loading.js';
import { Problem } from '../elements/problem.js';

/** A screen's title and content. Title and focus follow the route. */
export function Screen({
  title,
  part = title,
  children,
}: {
  readonly title: string;
  /** What of it the address names, as one order of a list. */
  readonly part?: string | undefined;
  readonly children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${part} – Truetally`;
    heading.current?.focus({ preventScroll: true });
  }, [part]);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </>
  );
}

interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

/** What is known of a query: its data, also while newer data cannot be had; else why there is none. */
export function Known<T>({
  query,
  children,
}: {
  readonly query: Loaded<T>;
  readonly children: (data: T) => ReactNode;
}) {
  const problem =
    query.error === null ? null : <Problem error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return problem ?? <Loading />;
  return (
    <>
      {problem}
      {children(query.data)}
    </>
  );
}
