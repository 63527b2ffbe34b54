const STATEMENT_TIMEOUT_MS = 35_000;
/** A mutation rewrites what it changes, and is waited for. */
const MUTATION_TIMEOUT_MS = 900_000;
const SECONDS_OF_A_READ = 30;
const SHOWN_CHARACTERS = 500;
const HTTP_OK = 200;

/** Values by the names that a statement has for them (`{site:UUID}`). */
export type Parameters = Readonly<Record<string, Parameter>>;
type Scalar = number | string;
type Parameter = Scalar | readonly Scalar[] | null;

export interface ClickHouseOptions {
  /** `https://user:password@host:8443/database`. */
  readonly url: string;
}

/** ClickHouse by its HTTP interface. */
export class ClickHouse {
  private readonly database: string;
  private readonly address: string;
  private readonly headers: Readonly<Record<string, string>>;

  constructor({ url }: ClickHouseOptions) {
    const { origin, username, password, pathname } = new URL(url);
    this.address = origin;
    this.database = decodeURIComponent(pathname.slice(1)) || 'default';
    const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.headers = username === '' ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
  }

  /** @throws Error while ClickHouse cannot be used, or refuses */
  async rows<Row>(sql: string, parameters: Parameters = {}): Promise<readonly Row[]> {
    const settings = { default_format: 'JSONEachRow', max_execution_time: String(SECONDS_OF_A_READ) };
    const text = await this.ask(sql, parameters, { ...settings, ...AS_NUMBERS }, STATEMENT_TIMEOUT_MS);
    // Each line is a row of the statement, whose columns are the caller's.
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Row);
  }

  /** Runs a statement without rows; a mutation is done when it returns. */
  async run(sql: string, parameters: Parameters = {}): Promise<void> {
    await this.ask(sql, parameters, { mutations_sync: '2', max_execution_time: '0' }, MUTATION_TIMEOUT_MS);
  }

  async createDatabase(): Promise<void> {
    const named = { database: 'default' };
    await this.ask(`create database if not exists \`${this.database}\``, {}, named, STATEMENT_TIMEOUT_MS);
  }

  private async ask(
    sql: string,
    parameters: Parameters,
    settings: Readonly<Record<string, string>>,
    timeoutMs: number,
  ): Promise<string> {
    const query = new URLSearchParams({ database: this.database, ...settings });
    for (const [name, value] of Object.entries(parameters)) query.set(`param_${name}`, parameterText(value));
    const response = await fetch(`${this.address}/?${query}`, {
      method: 'POST',
      headers: this.headers,
      body: sql,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    if (response.status === HTTP_OK) return text;
    throw new Error(`ClickHouse answered ${response.status}: ${text.slice(0, SHOWN_CHARACTERS)}`);
  }
}

/** Counts and microseconds are below 2^53. */
const AS_NUMBERS = { output_format_json_quote_64bit_integers: '0' };

/** As ClickHouse reads the value of a parameter. */
export function parameterText(value: Parameter): string {
  if (value === null) return '\\N';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return escaped(value);
  return `[${value.map((one) => (typeof one === 'number' ? String(one) : `'${escaped(one)}'`)).join(',')}]`;
}

function escaped(text: string): string {
  return text.replace(/[\\\t\n\r']/g, (character) => ESCAPES[character] ?? character);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  "'": "\\'",
};
