import type { ClientBase, Pool } from 'pg';

type Ask = (...asked: readonly unknown[]) => Promise<{ readonly rows: readonly unknown[] }>;

/** The same client or pool, which counts the rows that Postgres returns to it. */
export function countingRows<T extends ClientBase | Pool>(
  asked: T,
): { readonly counted: T; readonly rows: () => number } {
  let rows = 0;
  const ask = asked.query.bind(asked) as unknown as Ask;
  const query: Ask = async (...given) => {
    const result = await ask(...given);
    rows += result.rows.length;
    return result;
  };
  const counted = new Proxy(asked, {
    get: (target, name): unknown => (name === 'query' ? query : Reflect.get(target, name)),
  });
  return { counted, rows: () => rows };
}
