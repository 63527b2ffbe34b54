import pg from 'pg';

/**
 * The extended query protocol also for a statement without name and values: it is synchronised as a whole.
 */
const EXTENDED = { queryMode: 'extended' };

type Statement = pg.QueryConfig | string;
type Result = pg.QueryResult<pg.QueryResultRow>;
type Run = (statement: Statement, values?: unknown[]) => Promise<Result>;

/**
 * A transaction whose `begin` travels with its first statement. Postgres runs the statement only if the
 * `begin` succeeded, because both are synchronised as one (PostgreSQL, "Pipelining" of the extended query
 * protocol). Later statements wait until then. For commands, whose first statement has parameters: a simple
 * query, as in `inHotTransaction`, cannot carry those.
 */
export class PipelinedBegin {
  /** The connection to use in its place. */
  readonly client: pg.PoolClient;
  private begun: Promise<Result> | undefined;

  constructor(private readonly connection: pg.PoolClient) {
    const query: Run = (statement, values) => this.query(statement, values);
    this.client = new Proxy(connection, {
      get: (target, name): unknown => (name === 'query' ? query : Reflect.get(target, name)),
    });
  }

  /** Begins now if no statement was sent yet. */
  async done(): Promise<void> {
    await (this.begun ??= this.connection.query('begin'));
  }

  private async query(statement: Statement, values?: unknown[]): Promise<Result> {
    if (this.begun === undefined) {
      const config = typeof statement === 'string' ? { text: statement } : statement;
      return (this.begun = runBehind(this.connection, 'begin', {
        ...config,
        ...(values !== undefined && { values }),
      }));
    }
    await this.begun;
    return this.connection.query(statement, values);
  }
}

/**
 * Runs a statement behind another one without parameters, in one round trip; if the first fails, neither
 * takes effect.
 * @throws Postgres' error; the connection is then discarded, because the driver would consider the statement
 * prepared even if Postgres has skipped it
 */
export function runBehind(
  client: pg.ClientBase,
  opening: string,
  statement: pg.QueryConfig,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query({ ...statement, ...EXTENDED }, (error, results) => {
      if (error === undefined || error === null) return resolve(lastOf(results));
      (client as pg.Client).end().catch(() => undefined);
      reject(error);
    });
    const submit = query.submit.bind(query);
    query.submit = (connection) => {
      connection.parse({ name: '', text: opening, types: [] }, true);
      connection.bind({ portal: '', statement: '', values: [] }, true);
      connection.execute({ portal: '', rows: '' }, true);
      return submit(connection);
    };
    client.query(query);
  });
}

/** Two statements in one query return a list of results. */
function lastOf(results: unknown): Result {
  return (Array.isArray(results) ? results.at(-1) : results) as Result;
}
