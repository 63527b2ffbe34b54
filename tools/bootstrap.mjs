// Makes a checkout runnable and runs one of the commands of `tools`. Plain JavaScript without dependencies,
// because it runs before anything is installed, on any Node from 20 on. It installs what is missing, builds
// what has changed, and continues under the product's own Node version.
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';

/** Each with the arguments that it takes. Where there are none, one is a misunderstanding. */
const COMMANDS = {
  start: '[--no-demo | --short-demo]',
  test: '[<path> …] [<option of Jest> …]',
  mutate: '[pure | stored] [<file> …]',
  reset: '',
  bench: '[--quick] [--<area> [<number>] …], with the areas of docs/benchmarks.md',
  'ledger-verify': '[--file <file>] [--anchor <site>:<sequence>:<hash> …]',
  'ledger-export': '--file <file>',
  'experiments-verify': '',
  'analytics-verify': '',
  'publisher-verify': '',
  republish: '--from <instant> [--to <instant>]',
  'keys-rotate': '[--settle-seconds <number>] [--retire]',
  'kafka-access':
    '[--apply] [--format <format>] [--topic-prefix <prefix>] [--user-prefix <prefix>] [--schema-prefix <prefix>]',
  poison: '[--topic <topic>] [--key <key>] [--value <value>] [--request-id <id>]',
  restored:
    '--to <instant> [--margin-minutes <number>] [--undone <file>] | --nothing-lost, and [--topic-prefix <prefix>] [--schema-prefix <prefix>]',
  token:
    '[--sub <subject>] [--email <address>] [--email-unverified] [--aud <audience>] [--iss <issuer>] [--expires <seconds>] ' +
    '[--not-before <seconds>] [--alg <algorithm>] [--kid <id>] [--without <claim> …]',
  'images-check': '',
  'images-run': '<folder of built images>',
  'chart-services': '',
  openapi: '',
  asyncapi: '',
  chaos: '[faults | neighbour] [<beginning of a name> …] [--answers <number>]',
  way: '<operation>',
  'dashboard-walk': '[--pictures <folder> | --time]',
  'dashboard-screenshots': '',
};
/** Also of a verification: 1 would say that a sum differs. */
const MISUSED = 2;
const MIN_NODE = 20;
const LOCK_TIMEOUT_MS = 600_000;
const LOCK_POLL_MS = 200;
const PARENT_CHECK_MS = 500;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const local = join(root, '.local');
const lock = join(local, 'bootstrap.lock');
const parent = process.ppid;
const [command, ...parameters] = process.argv.slice(2);

await main();

async function main() {
  if (!Object.hasOwn(COMMANDS, command)) stop(`Say one of: ${Object.keys(COMMANDS).join(', ')}.`);
  if (parameters.includes('--help') || parameters.includes('-h')) {
    console.log(usage());
    return;
  }
  if (COMMANDS[command] === '' && parameters.length > 0)
    stop(`Unknown argument ${parameters[0]}; ${command} takes none.`, MISUSED);
  if (major(process.version) < MIN_NODE)
    stop(`Node ${MIN_NODE} or newer is needed; this is ${process.version}.`);
  await whileLocked(() => {
    if (!isInstalled()) install();
  });
  // Of what the command loads, and whatever it starts: the same as of services (libs/processes, spawn-service.ts).
  process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'compiled');
  const wanted = productNode();
  if (major(process.version) !== major(wanted.version)) return runUnder(wanted.binary);
  await whileLocked(build);
  const script = join(root, 'tools', 'dist', `${command}.js`);
  // As of services: a process that ends while it compiles in the background may hang.
  const flags = join(root, 'libs', 'processes', 'dist', 'process', 'exit-flags.js');
  for (const flag of (await import(pathToFileURL(flags).href)).EXIT_FLAGS) setFlagsFromString(flag);
  process.argv = [process.execPath, script, ...parameters];
  try {
    await import(pathToFileURL(script).href);
  } catch (error) {
    if (!String(error?.code).startsWith('ERR_PARSE_ARGS')) throw error;
    stop(`${error.message}\n${usage()}`, MISUSED);
  }
}

function usage() {
  const script = process.env.npm_lifecycle_event;
  const begin = script === undefined ? `node tools/bootstrap.mjs ${command}` : `npm run ${script}`;
  const takes = COMMANDS[command];
  const options = takes === '' || script === undefined ? takes : `-- ${takes}`;
  return `Usage: ${begin} ${options}`.trimEnd() + '\ndocs/commands.md says what it does.';
}

/** Whether npm's last installation (it keeps a record) matches the lockfile. */
function isInstalled() {
  const wanted = readJson(join(root, 'package-lock.json'))?.packages;
  const found = readJson(join(root, 'node_modules', '.package-lock.json'))?.packages;
  if (wanted === undefined || found === undefined) return false;
  return Object.entries(wanted)
    .filter(([path]) => path.startsWith('node_modules/'))
    .every(([path, entry]) => {
      const there = found[path];
      if (there === undefined) return entry.optional === true || entry.devOptional === true;
      return there.version === entry.version && there.link === entry.link;
    });
}

function install() {
  console.error('Installing dependencies …');
  const npm = process.env.npm_execpath;
  const [program, first] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  // Warnings would be of packages that want a newer Node than this one: they run under the product's own.
  const quietly = ['--no-audit', '--no-fund', '--loglevel=error'];
  run(program, [...first, 'ci', '--include=dev', ...quietly], 'npm ci');
}

function build() {
  const begun = new Date();
  run(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b'], 'The build');
  keepChecked(begun);
  run(process.execPath, [join(root, 'libs', 'browser-sdk', 'bundle.mjs')], 'The bundle of the browser SDK');
  run(process.execPath, [join(root, 'libs', 'node-sdk', 'bundle.mjs')], 'The bundle of the Node client');
  run(process.execPath, [join(root, 'libs', 'worker', 'bundle.mjs')], 'The bundle of the worker kit');
  run(process.execPath, [join(root, 'apps', 'gateway', 'build-api-page.mjs')], "The build of the API's page");
  run(process.execPath, [join(root, 'apps', 'dashboard', 'build-pages.mjs')], 'The build of the dashboard');
  run(process.execPath, [join(root, 'tools', 'bundle-services.mjs')], 'The bundle of the services');
}

/**
 * The compiler does not write the record of what it only checks where nothing has changed: what is newer, as a library that
 * was built to the same result, would have it checked again by each command. What changes meanwhile is newer than the begin.
 */
function keepChecked(begun) {
  const projects = ['apps', 'libs'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(root, folder, name)),
  );
  for (const project of [...projects, join(root, 'tools')]) {
    for (const record of ['.spec.tsbuildinfo', '.web.tsbuildinfo']) {
      const file = join(project, 'dist', record);
      if (existsSync(file) && statSync(file).mtime < begun) utimesSync(file, begun, begun);
    }
  }
}

function run(program, args, what) {
  // To standard error: another program may parse a command's standard output.
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: ['inherit', 2, 'inherit'] });
  if (status !== 0) {
    unlock();
    stop(`${what} failed${error === undefined ? '' : `: ${error.message}`}.`);
  }
}

/** The Node of the package `node`. */
function productNode() {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules', 'node', 'package.json'), 'utf8'));
  return { version: `v${version}`, binary: join(root, 'node_modules', 'node', 'bin', 'node') };
}

/**
 * Runs this script again under another Node, passing signals in and its exit code out. The child can only
 * notice that we are gone, so that the end of the npm that runs us is passed on as a signal.
 */
function runUnder(binary) {
  if (!existsSync(binary))
    stop(`${binary} is missing: npm must be allowed to run install scripts (ignore-scripts=false).`);
  const env = { ...process.env, PATH: `${dirname(binary)}${delimiter}${process.env.PATH}` };
  const child = spawn(binary, process.argv.slice(1), { cwd: process.cwd(), env, stdio: 'inherit' });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  const isRunByNpm = process.env.npm_lifecycle_event !== undefined;
  const watch = setInterval(() => {
    if (!isRunByNpm || process.ppid === parent) return;
    // A single time: a second signal would kill a stack that is stopping.
    clearInterval(watch);
    child.kill('SIGTERM');
  }, PARENT_CHECK_MS);
  watch.unref();
  child.on('error', (error) => stop(`${binary} could not be run: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (SIGNAL_NUMBERS[signal] ?? 0)));
}

/** One bootstrap of a checkout at a time: two commands may be started side by side. */
async function whileLocked(work) {
  mkdirSync(local, { recursive: true });
  const deadline = Date.now() + LOCK_TIMEOUT_MS;
  while (!tryLock()) {
    if (Date.now() > deadline) stop(`Another command holds ${lock} for too long.`);
    await delay(LOCK_POLL_MS);
  }
  try {
    work();
  } finally {
    unlock();
  }
}

function tryLock() {
  // Written to a temporary file and linked into place, so that a lock always names its holder.
  const written = `${lock}.${randomUUID()}`;
  writeFileSync(written, `${process.pid} ${startOf(process.pid)}`);
  const isOurs = tryLink(written);
  rmSync(written, { force: true });
  if (isOurs) return true;
  const holder = readText(lock);
  const [pid, start] = holder.split(' ');
  if (startOf(Number(pid)) !== start) removeStale(holder);
  return false;
}

/** Unlike a rename, a link does not replace an existing file; false then. */
function tryLink(file) {
  try {
    linkSync(file, lock);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
}

/** Another process may have replaced the stale lock meanwhile: an unexpected lock is restored. */
function removeStale(holder) {
  const taken = `${lock}.${randomUUID()}`;
  try {
    renameSync(lock, taken);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return;
  }
  if (readText(taken) !== holder) tryLink(taken);
  rmSync(taken, { force: true });
}

function unlock() {
  if (readText(lock).startsWith(`${process.pid} `)) rmSync(lock, { force: true });
}

/** When a process started, or "gone": a process id alone may belong to another process by now. */
function startOf(pid) {
  if (process.platform === 'linux') {
    const stat = readText(`/proc/${pid}/stat`);
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? 'gone';
  }
  try {
    process.kill(pid, 0);
    return 'alive';
  } catch {
    return 'gone';
  }
}

function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function readJson(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

function major(version) {
  return Number(version.replace('v', '').split('.')[0]);
}

function stop(message, code = 1) {
  console.error(message);
  process.exit(code);
}
