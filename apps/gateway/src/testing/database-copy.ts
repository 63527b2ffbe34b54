import type { ServiceName } from '@truetally/contracts/services';
import { uniqueName } from '@truetally/testing';
import type { LaunchedProduct } from '@truetally/testing-product';
import pg from 'pg';

/** A copy of all rows of some services, which can be put back: under the same cluster, timeline and tables. */
export class DatabaseCopy {
  private readonly copy = uniqueName('backup').replaceAll('-', '_');

  private constructor(
    private readonly product: LaunchedProduct,
    private readonly services: readonly ServiceName[],
    /** A connection of the database's owner. */
    readonly owner: pg.Client,
  ) {}

  static async open(product: LaunchedProduct, services: readonly ServiceName[]): Promise<DatabaseCopy> {
    const owner = new pg.Client({ connectionString: product.installation.databaseUrl });
    await owner.connect();
    return new DatabaseCopy(product, services, owner);
  }

  async take(): Promise<void> {
    await this.owner.query('begin isolation level repeatable read');
    await this.owner.query(`create schema ${this.copy}`);
    for (const { from, copy, columns } of await this.tables())
      await this.owner.query(`create table ${copy} as select ${columns} from ${from}`);
    await this.owner.query('commit');
  }

  /** Neither triggers nor foreign keys are asked, as by a physical copy. */
  async restore(): Promise<void> {
    await this.owner.query('begin');
    await this.owner.query('set local session_replication_role = replica');
    const tables = await this.tables();
    for (const { from } of tables) await this.owner.query(`delete from ${from}`);
    for (const { from, copy, columns } of tables)
      await this.owner.query(
        `insert into ${from} (${columns}) overriding system value select ${columns} from ${copy}`,
      );
    await this.owner.query('commit');
  }

  /** Before the product, whose schemas it reads. */
  async close(): Promise<void> {
    await this.owner.query(`drop schema if exists ${this.copy} cascade`);
    await this.owner.end();
  }

  /** The services' tables; a partition is a part of its table. */
  private async tables(): Promise<
    readonly { readonly from: string; readonly copy: string; readonly columns: string }[]
  > {
    const { rows } = await this.owner.query<{ from: string; copy: string; columns: string }>(
      `select format('%I.%I', nspname, relname) as from,
         format('%I.%I', $2::text, left(md5(nspname), 8) || '_' || relname) as copy,
         (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
          where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
       from pg_class join pg_namespace on pg_namespace.oid = relnamespace
       where nspname = any($1) and relkind in ('r', 'p') and not relispartition and relname <> 'migrations'`,
      [this.services.map((service) => this.product.schema(service)), this.copy],
    );
    return rows;
  }
}

/** Stops every process of these services. */
export async function stopServices(
  product: LaunchedProduct,
  services: readonly ServiceName[],
): Promise<void> {
  const running = services.flatMap((service) => product.processes(service));
  await Promise.all(running.map((one) => one.stop()));
  running.forEach((one) => {
    product.forget(one);
  });
}
