import type { Pool } from 'pg';

type Ask = (...asked: readonly unknown[]) => Promise<unknown>;

/** The same pool, where something else happens after each of its queries, also of the clients that it lends. */
export function betweenQueries(pool: Pool, happen: () => Promise<void>): Pool {
  const lend = async (): Promise<unknown> => slowed(await pool.connect(), happen);
  const disturbed = slowed(pool, happen);
  return new Proxy(disturbed, {
    get: (target, name): unknown => (name === 'connect' ? lend : Reflect.get(target, name)),
  });
}

function slowed<T extends object & { readonly query: unknown }>(asked: T, happen: () => Promise<void>): T {
  const ask = (asked.query as Ask).bind(asked);
  const query: Ask = async (...given) => {
    const result = await ask(...given);
    await happen();
    return result;
  };
  return new Proxy(asked, {
    get: (target, name): unknown => (name === 'query' ? query : Reflect.get(target, name)),
  });
}
