/**
 * ClickHouse's engine in a process, behind the part of ClickHouse's HTTP interface that the product uses: a statement as
 * the body, `param_<name>` and settings as the query. For tests and measurements; the product's own ClickHouse is a server.
 *
 * node serve.mjs <folder of the data> <port>
 */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Session } from 'chdb';

const [folder, port] = process.argv.slice(2);
const session = new Session(folder);
const ROWS = /^\s*(select|with)\b/i;
const PARAMETER = /^param_(.+)$/;
const SETTINGS = new Set(['max_execution_time', 'mutations_sync']);
const LISTS = /^\[(.*)\]$/s;

// Values come in the address.
const server = createServer({ maxHeaderSize: 4 * 1024 * 1024 }, (request, response) => {
  void answer(request)
    .then((body) => response.writeHead(200).end(body))
    .catch((error) => response.writeHead(500).end(String(error?.message ?? error)));
});

async function answer(request) {
  const { searchParams } = new URL(request.url, 'http://localhost');
  const sql = await text(request);
  if (sql === '') return 'Ok.\n';
  const parameters = {};
  const settings = [];
  for (const [name, value] of searchParams) {
    const [, parameter] = PARAMETER.exec(name) ?? [];
    if (parameter !== undefined) parameters[parameter] = valueOf(value);
    else if (SETTINGS.has(name)) settings.push(`${name} = ${Number(value)}`);
  }
  const database = searchParams.get('database') ?? 'default';
  await session.queryAsync(`use \`${database}\``);
  if (settings.length > 0) await session.queryAsync(`set ${settings.join(', ')}`);
  const format = ROWS.test(sql) ? 'JSONEachRow' : 'CSV';
  return (await session.queryBindAsync(sql, parameters, { format })).text();
}

/** The binding makes the text of a parameter by itself, so that the one of the interface is read back. */
function valueOf(value) {
  if (value === '\\N') return null;
  const [, items] = LISTS.exec(value) ?? [];
  if (items === undefined) return unescaped(value);
  return [...items.matchAll(/'((?:[^'\\]|\\.)*)'|-?\d+/gs)].map(([item, quoted]) =>
    quoted === undefined ? BigInt(item) : unescaped(quoted),
  );
}

function unescaped(value) {
  return value.replace(/\\(.)/gs, (_, character) => ({ t: '\t', n: '\n', r: '\r' })[character] ?? character);
}

server.listen(Number(port), '127.0.0.1', () => console.log('ready'));
process.once('SIGTERM', () => {
  server.close(() => process.exit(0));
  server.closeAllConnections();
});
