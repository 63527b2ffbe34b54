import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { programsOf, SERVICE_NAMES, type ServiceName } from '@truetally/contracts/services';
import { REPOSITORY_ROOT } from '@truetally/testing';
import { DEPLOYED_SHUTDOWN_TIMEOUT_MS } from '@truetally/testing-product';
import { parse } from 'yaml';

/** One more than its replicas may run while they are replaced (`maxSurge`). */
const SURGE = 1;
/** Of a migration's Job. */
const MIGRATION_CONNECTIONS = 2;
/** Of the operator, its monitoring, and people; Postgres itself reserves three. */
const OTHERS = 25;
const PRE_STOP_SECONDS = 5;

/** MiB that a process holds beside the spaces of its heap: bodies (`apps/gateway/src/core/core.module.ts`), what waits behind requests, filters. */
const BESIDE_HEAP: Readonly<Partial<Record<ServiceName, number>>> = { gateway: 72 + 24 + 64, ingestion: 32 };
/** Of Node and of a service's libraries, as an idle process holds it: 57 to 68 MiB with the first of its heap. */
const BASE = 48;
/** V8 has three of them. */
const SEMI_SPACES = 3;

interface Sizes {
  readonly heap: { readonly young: number; readonly old: number };
  readonly resources: { readonly limits: { readonly memory: string } };
}
interface Entry extends Partial<Sizes> {
  readonly replicas: { readonly min: number; readonly max?: number };
}

const VALUES = parse(read('k8s', 'chart', 'values.yaml')) as {
  readonly services: Readonly<Record<ServiceName, Entry>>;
  readonly serviceDefaults: Sizes;
};

interface ComposeService {
  readonly command?: readonly string[];
  readonly deploy: { readonly resources: { readonly limits: { readonly memory: string } } };
}
const COMPOSE = parse(read('docker', 'compose.yaml'), { merge: true }) as {
  readonly services: Readonly<Record<ServiceName, ComposeService>>;
};
/** The image's own flags, where Compose says none. */
const USUAL_COMMAND = JSON.parse(/^CMD (\[.*\])$/m.exec(read('docker', 'Dockerfile'))?.[1] ?? '') as string[];

/** MiB of `512Mi`, `1Gi`, `512m` or `1g`. */
function mebibytesOf(text: string): number {
  const [, amount, unit = ''] = /^(\d+)(Mi|Gi|m|g)$/.exec(text) ?? [];
  return Number(amount) * (/^g/i.test(unit) ? 1_024 : 1);
}

function flagOf(command: readonly string[], name: string): number {
  return Number(command.find((flag) => flag.startsWith(`--${name}=`))?.split('=')[1]);
}

/** How many connections to Postgres a process of the service opens at most: its pool, and what it reads by. */
function connectionsOf(service: ServiceName): number {
  const { app, folder } = programsOf(service);
  const source = join(REPOSITORY_ROOT, 'apps', app, folder.replace(/^dist/, 'src'));
  // A program's settings and its start; others have their pool elsewhere below.
  const files = [...['config.ts', 'serve.ts'], ...readdirSync(source, { recursive: true, encoding: 'utf8' })];
  const text = files
    .filter((name) => name.endsWith('.ts') && !name.endsWith('spec.ts') && existsSync(join(source, name)))
    .map((name) => readFileSync(join(source, name), 'utf8'))
    .join('\n');
  const pool =
    /databaseConnections\(\{ least: \d+, usual: (\d+) \}\)/.exec(text) ??
    /\bDATABASE_CONNECTIONS = (\d+)/.exec(text);
  const reading = /\bREADING_CONNECTIONS = (\d+)/.exec(text);
  if (pool === null) throw new Error(`How many connections a process of ${service} opens is not said.`);
  return Number(pool[1]) + Number(reading?.[1] ?? 0);
}

describe('the chart at its largest', () => {
  it('the pools of all replicas fit Postgres, while every service is replaced and every schema migrated', () => {
    const sums = SERVICE_NAMES.map((name) => {
      const { min, max = min } = VALUES.services[name].replicas;
      return (max + SURGE) * connectionsOf(name) + MIGRATION_CONNECTIONS;
    });
    const needed = sums.reduce((sum, one) => sum + one, OTHERS);
    const [, most] = /max_connections: '(\d+)'/.exec(read('k8s', 'infrastructure', 'postgres.yaml')) ?? [];
    expect(needed).toBeLessThanOrEqual(Number(most));
  });

  it.each(SERVICE_NAMES)('what a process of %s may hold fits its container', (name) => {
    const { heap, resources } = { ...VALUES.serviceDefaults, ...VALUES.services[name] };
    const { command = USUAL_COMMAND, deploy } = COMPOSE.services[name];
    expect(flagOf(command, 'max-semi-space-size')).toBe(heap.young);
    expect(flagOf(command, 'max-old-space-size')).toBe(heap.old);
    const { memory } = resources.limits;
    expect(mebibytesOf(deploy.resources.limits.memory)).toBe(mebibytesOf(memory));
    const most = SEMI_SPACES * heap.young + heap.old + BASE + (BESIDE_HEAP[name] ?? 0);
    expect(most).toBeLessThanOrEqual(mebibytesOf(memory));
  });

  it('a pod has the time that its process may take to stop, and rollouts of chaos have the same', () => {
    const [, timeoutMs] =
      /SHUTDOWN_TIMEOUT_MS: '(\d+)'/.exec(read('k8s', 'chart', 'templates', 'config.yaml')) ?? [];
    expect(timeoutMs).toBe(DEPLOYED_SHUTDOWN_TIMEOUT_MS);
    const services = read('k8s', 'chart', 'templates', 'services.yaml');
    const [, grace] = /terminationGracePeriodSeconds: (\d+)/.exec(services) ?? [];
    expect(services).toContain(`sleep: { seconds: ${PRE_STOP_SECONDS} }`);
    expect(Number(grace)).toBeGreaterThan(PRE_STOP_SECONDS + Number(timeoutMs) / 1_000);
  });
});

function read(...path: readonly string[]): string {
  return readFileSync(join(REPOSITORY_ROOT, ...path), 'utf8');
}
