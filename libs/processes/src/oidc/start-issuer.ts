import { join } from 'node:path';
import { eventually } from '../eventually.js';
import { ManagedProcess } from '../process/managed-process.js';
import { type LocalServer, serve } from '../process/server.js';
import { programEnvironment } from '../process/spawn-service.js';
import { NODE_BINARY, REPOSITORY_ROOT } from '../repository.js';

/** Where a local issuer is, or will be. */
export interface IssuerPlace {
  readonly port: number;
  /** Created with `writeIssuerKeys`; read at each start. */
  readonly keysFile: string;
  /** The `aud` of those who sign in at it; without it nobody can. */
  readonly clientId?: string;
  /** Origins of dashboards: whose callback gets codes. */
  readonly dashboardOrigins?: readonly string[];
}

const START_TIMEOUT_MS = 120_000;
const POLL_TIMEOUT_MS = 2_000;
const SCRIPT = join(REPOSITORY_ROOT, 'libs', 'processes', 'dist', 'oidc', 'issuer-process.js');

/** The `iss` of its tokens. */
export function issuerUrl({ port }: Pick<IssuerPlace, 'port'>): string {
  return `http://127.0.0.1:${port}`;
}

/** Starts an OpenID Connect issuer on loopback. Resolves when it answers. */
export function startIssuer(place: IssuerPlace, logFile?: string): Promise<LocalServer> {
  return serve(() => launch(place, logFile), 'SIGTERM');
}

async function launch(place: IssuerPlace, logFile?: string): Promise<ManagedProcess> {
  const url = issuerUrl(place);
  const issuer = await ManagedProcess.start({
    name: 'oidc',
    command: NODE_BINARY,
    args: [SCRIPT, url, place.keysFile, place.clientId ?? '', (place.dashboardOrigins ?? []).join(',')],
    env: programEnvironment(),
    cwd: REPOSITORY_ROOT,
    ...(logFile === undefined ? {} : { logFile }),
  });
  try {
    await eventually(() => !issuer.isRunning || isServing(url), { timeoutMs: START_TIMEOUT_MS });
  } catch (error) {
    await issuer.stop('SIGKILL');
    throw new Error(`oidc did not serve within ${START_TIMEOUT_MS} ms:\n${issuer.tail()}`, { cause: error });
  }
  if (!issuer.isRunning) throw new Error(`oidc ${issuer.describeExit()} at start:\n${issuer.tail()}`);
  return issuer;
}

async function isServing(url: string): Promise<boolean> {
  const response = await fetch(`${url}/.well-known/openid-configuration`, {
    signal: AbortSignal.timeout(POLL_TIMEOUT_MS),
  });
  return ((await response.json()) as { issuer?: unknown }).issuer === url;
}
