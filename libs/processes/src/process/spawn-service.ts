import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../eventually.js';
import { freePort } from '../free-port.js';
import { NEW_DATA_VARIABLE } from '../postgres/kept-data.js';
import { NODE_BINARY, REPOSITORY_ROOT } from '../repository.js';
import { EXIT_FLAGS } from './exit-flags.js';
import { ManagedProcess } from './managed-process.js';
import { RECORDS_VARIABLE } from './records.js';
import { type LocalServer, serve } from './server.js';
import { STARTS_VARIABLE } from './starts.js';

/** The service to run, and its configuration. */
export interface ServiceOptions {
  /** Its name, which is that of a folder in `apps`, built. */
  readonly app: string;
  /** Where its programs are, from the repository's root. Default: `apps/<app>/dist`. */
  readonly programs?: string;
  /** Its configuration. Of the caller's own environment it gets only the paths of programs. */
  readonly env: Readonly<Record<string, string>>;
  /** The repository whose build is run. Default: this one. */
  readonly root?: string;
  /** Without one, its output is kept in memory. */
  readonly logFile?: string;
  /** Default: more than the manifests give a service that is not hot. */
  readonly oldSpaceMib?: number;
}

/** A running service on this machine. */
export interface LocalService extends LocalServer {
  readonly app: string;
  readonly operationsPort: number;
  /** Everything that it has logged, up to a bound. */
  output(): string;
}

/**
 * Most allocations of a busy service die with their request. The two services that handle every event get a
 * large new space, so that most objects are dead before they would be copied, and stay below 512 MiB. The
 * others get a small one, an early first collection and a bounded old space, and stay below 256 MiB. Flags,
 * because the heap is laid out before any code runs; measured in docs/benchmarks.md. The deployment's
 * manifests have the same.
 */
const HOT_SERVICES: readonly string[] = ['gateway', 'ingestion'];
const HOT_FLAGS = ['--max-semi-space-size=64', '--initial-old-space-size=192', '--max-old-space-size=384'];
const USUAL_FLAGS = ['--max-semi-space-size=16', '--initial-old-space-size=64', '--max-old-space-size=512'];
/**
 * Of the services that set it themselves (`late-collection`). What is set behind the start is not in the name of the cache of
 * compiled code: they refused what the others had left there, the others what they had, and each compiled and wrote everything
 * again, at its end: that took half a second to five.
 */
const LATE_SERVICES: readonly string[] = ['analytics', 'management', 'outbound'];
const LATE_FLAG = '--heap-growing-percent=100';

export function flagsOf(app: string): readonly string[] {
  const own = [...EXIT_FLAGS, ...(HOT_SERVICES.includes(app) ? HOT_FLAGS : USUAL_FLAGS)];
  return LATE_SERVICES.includes(app) ? [...own, LATE_FLAG] : own;
}

/** The name of a process that runs several services. */
export const TOGETHER = 'services together';
/** Of all services in one process. */
const TOGETHER_FLAGS = [...EXIT_FLAGS, '--max-semi-space-size=32', '--max-old-space-size=1024'];

/**
 * The C library gives each thread its own arena and returns little of it. With a single arena, a gateway
 * under pages of products needs 180 MiB instead of 202, at the same speed.
 */
const ALLOCATOR = { MALLOC_ARENA_MAX: '1' } as const;
/** Cache of compiled code: of the bundles of services, of the thousand files of a migration, and of the tools. */
const COMPILED = join(REPOSITORY_ROOT, 'node_modules', '.cache', 'compiled');

/**
 * Timeout for a service that waits for a dependency to come back, or runs on an overloaded machine; otherwise
 * it takes a few seconds.
 */
const READY_TIMEOUT_MS = 180_000;
const POLL_TIMEOUT_MS = 2_000;

/** Runs a built service under Node 24. Resolves when it reports that it is ready. */
export async function spawnService(options: ServiceOptions): Promise<LocalService> {
  const { app, env, root = REPOSITORY_ROOT, oldSpaceMib, logFile } = options;
  const operationsPort = await operationsPortOf(env);
  const spawned = await spawnNode({
    name: app,
    flags: [
      ...flagsOf(app),
      // The last one of a flag counts.
      ...(oldSpaceMib === undefined ? [] : [`--max-old-space-size=${oldSpaceMib}`]),
    ],
    script: programFile(root, options, 'main.js'),
    env: { ...env, OPERATIONS_PORT: String(operationsPort) },
    root,
    logFile,
    ports: [operationsPort],
  });
  return Object.assign(spawned.server, { app, operationsPort, output: spawned.output });
}

/**
 * Runs several services in one process, for tests that stop none of them: what the services share is loaded once.
 * Stopping or killing one of them stops or kills all.
 * @param script runs what `SERVICES` describes: an array of `{ program, environment }` as JSON
 */
export async function spawnTogether(
  script: string,
  services: readonly Pick<ServiceOptions, 'app' | 'env' | 'programs'>[],
  logFile?: string,
): Promise<readonly LocalService[]> {
  const placed = await Promise.all(
    services.map(async (service) => ({ ...service, operationsPort: await operationsPortOf(service.env) })),
  );
  const described = placed.map((service) => ({
    program: programFile(REPOSITORY_ROOT, service, 'serve.js'),
    environment: {
      ...programEnvironment(),
      ...service.env,
      OPERATIONS_PORT: String(service.operationsPort),
    },
  }));
  const { server, output } = await spawnNode({
    name: TOGETHER,
    flags: TOGETHER_FLAGS,
    script,
    env: { SERVICES: JSON.stringify(described) },
    root: REPOSITORY_ROOT,
    logFile,
    ports: placed.map(({ operationsPort }) => operationsPort),
  });
  return placed.map(({ app, operationsPort }) =>
    Object.assign(Object.create(server) as LocalServer, { app, operationsPort, output }),
  );
}

/** Its bundle (`tools/bundle-services.mjs`); a former release may have none. */
export function programFile(
  root: string,
  { app, programs = join('apps', app, 'dist') }: Pick<ServiceOptions, 'app' | 'programs'>,
  name: 'main.js' | 'serve.js' | 'migrate.js',
): string {
  const bundled = join(root, 'dist', programs, name);
  return existsSync(bundled) ? bundled : join(root, programs, name);
}

async function operationsPortOf(env: ServiceOptions['env']): Promise<number> {
  return Number(env['OPERATIONS_PORT'] ?? (await freePort()));
}

interface NodeProgram {
  readonly name: string;
  readonly flags: readonly string[];
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
  readonly root: string;
  readonly logFile: string | undefined;
  /** Operations ports of its services, all of which must be ready. */
  readonly ports: readonly number[];
}

async function spawnNode(program: NodeProgram): Promise<{ server: LocalServer; output: () => string }> {
  const { name, flags, script, env, root, logFile, ports } = program;
  let current: ManagedProcess | undefined;
  const launch = async (): Promise<ManagedProcess> => {
    current = await ManagedProcess.start({
      name,
      command: NODE_BINARY,
      args: [...flags, script],
      env: { ...programEnvironment(), ...ALLOCATOR, ...env },
      cwd: root,
      ...(logFile === undefined ? {} : { logFile }),
    });
    await waitUntilReady(current, name, ports);
    return current;
  };
  const server = await serve(launch, 'SIGTERM');
  return { server, output: () => current?.output() ?? '' };
}

async function waitUntilReady(
  service: ManagedProcess,
  name: string,
  operationsPorts: readonly number[],
): Promise<void> {
  // One after the other: to look at ten services each time costs them more than what they have to do meanwhile.
  const waiting = [...operationsPorts];
  const areReady = async (): Promise<boolean> => {
    while (waiting[0] !== undefined && (await isReady(waiting[0]))) waiting.shift();
    return waiting.length === 0;
  };
  try {
    await eventually(() => !service.isRunning || areReady(), { timeoutMs: READY_TIMEOUT_MS });
  } catch (error) {
    await service.stop('SIGKILL');
    throw new Error(`${name} was not ready within ${READY_TIMEOUT_MS} ms:\n${service.tail()}`, {
      cause: error,
    });
  }
  if (!service.isRunning) throw new Error(`${name} ${service.describeExit()} at start:\n${service.tail()}`);
}

/** Whether a service answers `GET /health/ready` with 200. */
export async function isReady(operationsPort: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${operationsPort}/health/ready`, {
    signal: AbortSignal.timeout(POLL_TIMEOUT_MS),
  });
  await response.arrayBuffer();
  return response.status === 200;
}

/** Whether each dependency of a service answers it, as its metrics say. */
export async function dependenciesAnswer(operationsPort: number): Promise<boolean> {
  return (await unanswering(operationsPort)).length === 0;
}

/** Waits until each does; the error of a wait in vain tells which do not, and what the service logged last. */
export async function untilDependenciesAnswer({
  operationsPort,
  tail,
}: Pick<LocalService, 'operationsPort' | 'tail'>): Promise<void> {
  let missing: readonly string[] = [];
  const message = (): string => `dependencies that answer:\n${[...missing, tail()].join('\n')}`;
  await eventually(
    async () => {
      missing = await unanswering(operationsPort);
      return missing.length === 0;
    },
    { message },
  );
}

/** The lines of its metrics that say which dependency does not answer. */
async function unanswering(operationsPort: number): Promise<readonly string[]> {
  const response = await fetch(`http://127.0.0.1:${operationsPort}/metrics`, {
    signal: AbortSignal.timeout(POLL_TIMEOUT_MS),
  });
  const lines = (await response.text()).match(/^truetally_dependency_up.*$/gm) ?? ['no dependency is told'];
  return lines.filter((line) => !line.endsWith(' 1'));
}

/** By the last ones, what it starts counts with the test run that starts it, is ended with it, and begins with its new data. */
const KEPT = [
  ...['PATH', 'HOME', 'USER', 'TMPDIR', 'LANG', 'JAVA_HOME'],
  ...[STARTS_VARIABLE, RECORDS_VARIABLE, NEW_DATA_VARIABLE],
];

/** What a program needs to find others, its user's folder and its compiled code, without any service configuration. */
export function programEnvironment(): Record<string, string> {
  const kept: Record<string, string> = { NODE_COMPILE_CACHE: COMPILED };
  for (const name of KEPT) {
    const value = process.env[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}
