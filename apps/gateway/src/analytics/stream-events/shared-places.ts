import type { Pool, PoolClient } from 'pg';

/**
 * A place is a lock of the gateway's session in Postgres: another gateway cannot have it, and it is free again as soon as
 * the gateway's connection has ended, however it ended.
 */
const LOCK = (name: string, place: string): string =>
  `hashtextextended(current_schema() || ' live stream ' || ${name} || ' ' || ${place}, 0)`;
/** A session that asks twice for a lock gets it twice, so that its own places are left out. */
const TAKE = `
  select place from generate_series(1, $3::integer) as place
  where place <> all ($2::integer[]) and pg_try_advisory_lock(${LOCK('$1', 'place')}) limit 1`;
const TAKE_AGAIN = `select pg_try_advisory_lock(${LOCK('$1', 'place')}) from unnest($2::integer[]) as place`;
const GIVE_BACK = `select pg_advisory_unlock(${LOCK('$1', '$2::integer')})`;

/** A place of a name among those of all gateways. */
export interface SharedPlace {
  readonly name: string;
  readonly place: number;
}

/** Counts what a name has open, over all gateways. */
export class SharedPlaces {
  private readonly held = new Map<string, readonly number[]>();
  private session: PoolClient | undefined;
  private turn: Promise<unknown> = Promise.resolve();

  /** @param pool of one connection, which these places keep */
  constructor(
    private readonly pool: Pool,
    private readonly ofName: number,
  ) {}

  /** @returns undefined when the name has all of its places. @throws Postgres' error */
  take(name: string): Promise<SharedPlace | undefined> {
    return this.inTurn(async () => {
      const session = await this.connected();
      const own = this.held.get(name) ?? [];
      const { rows } = await session.query<{ place: number }>(TAKE, [name, own, this.ofName]);
      const place = rows[0]?.place;
      if (place === undefined) return undefined;
      this.held.set(name, [...own, place]);
      return { name, place };
    });
  }

  giveBack({ name, place }: SharedPlace): Promise<void> {
    return this.inTurn(async () => {
      const rest = (this.held.get(name) ?? []).filter((one) => one !== place);
      if (rest.length === 0) this.held.delete(name);
      else this.held.set(name, rest);
      // Without the session the lock is gone.
      await this.session?.query(GIVE_BACK, [name, place]).catch(() => undefined);
    });
  }

  /** Its places are free from now on. */
  close(): void {
    const { session } = this;
    this.session = undefined;
    session?.release(true);
  }

  /** One after the other: two questions at once would be given the same place. */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.turn.then(work);
    this.turn = result.catch(() => undefined);
    return result;
  }

  /** A new session takes the places of the one that was lost, where nobody else has them now. */
  private async connected(): Promise<PoolClient> {
    if (this.session !== undefined) return this.session;
    const session = await this.pool.connect();
    const lose = (): void => {
      if (this.session !== session) return;
      this.session = undefined;
      session.release(true);
    };
    session.on('error', lose).on('end', lose);
    this.session = session;
    for (const [name, places] of this.held) await session.query(TAKE_AGAIN, [name, places]);
    return session;
  }
}
