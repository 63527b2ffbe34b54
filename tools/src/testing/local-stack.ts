import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT_FLAGS } from '@truetally/processes';
import {
  type Answer,
  endRecordedProcesses,
  eventually,
  freePort,
  ManagedProcess,
  NODE_BINARY,
  programEnvironment,
  removePostgresData,
  REPOSITORY_ROOT,
  request,
} from '@truetally/testing';
import { WITH_FEW_PARTITIONS } from '@truetally/testing-product';
import { PORT_VARIABLES } from '../stack/configuration.js';

export interface StackFile {
  readonly base_url: string;
  readonly storefront_url: string;
  readonly admin_url: string;
  readonly admin_secret: string;
  readonly worker_secret: string;
  readonly workspace_id: string;
  readonly site_id: string;
  readonly origin: string;
  readonly api_key: string;
  readonly oidc_issuer: string;
  readonly id_tokens: Readonly<Record<'owner' | 'admin' | 'analyst' | 'outsider' | 'expired', string>>;
  readonly dashboard_origin: string;
  readonly kafka_brokers: string;
  readonly database_url: string;
  readonly keyring_file: string;
  readonly operations: Readonly<Record<string, number>>;
  readonly pids: Readonly<Record<string, number>>;
}

/** A folder and ports for a local stack, the commands of `tools` that work on it, and requests to it. */
export async function localStackFixture() {
  const folder = mkdtempSync(join(tmpdir(), 'truetally-stack-'));
  const stackFile = join(folder, 'stack.json');
  const environment: Record<string, string> = { TRUETALLY_LOCAL_DIR: folder, ...WITH_FEW_PARTITIONS };
  for (const name of PORT_VARIABLES) environment[name] = String(await freePort());

  const run = (command: string, parameters: string[] = [], more: Record<string, string> = {}) =>
    ManagedProcess.start({
      name: command,
      command: NODE_BINARY,
      args: [...EXIT_FLAGS, join(REPOSITORY_ROOT, 'tools', 'dist', `${command}.js`), ...parameters],
      env: { ...programEnvironment(), ...environment, ...more },
      cwd: REPOSITORY_ROOT,
    });

  const read = (): StackFile => JSON.parse(readFileSync(stackFile, 'utf8')) as StackFile;

  const track = (clientEventId: string): Promise<Answer<{ event_id: string; deduplicated?: boolean }>> =>
    request(`${read().base_url}/events/track`, {
      headers: { 'x-api-key': read().api_key },
      json: {
        event_type: 'page_view',
        session_id: 's-1',
        client_event_id: clientEventId,
        context: { page_url: 'https://shop.example/', user_agent: 'Firefox' },
      },
    });

  /** Reads or writes resources of the demo site with an ID token. */
  const commissionRules = (idToken: string, json?: object): Promise<Answer<unknown>> => {
    const { base_url, site_id } = read();
    const url = `${base_url}/partner-attribution/commission-rules`;
    const headers = { authorization: `Bearer ${idToken}` };
    return json === undefined
      ? request(`${url}?website_id=${site_id}`, { headers })
      : request(url, { headers, json: { website_id: site_id, ...json } });
  };

  const mint = async (...parameters: string[]): Promise<string> => {
    const command = await run('token', parameters);
    const { code } = await command.exited;
    if (code !== 0) throw new Error(`No token: ${command.output()}`);
    await eventually(() => command.output().endsWith('\n'));
    return command.output().trimEnd();
  };

  const processes = (): number[] => {
    const path = join(folder, 'processes');
    return existsSync(path) ? readdirSync(path).map(Number) : [];
  };

  const remove = async (): Promise<void> => {
    await endRecordedProcesses(join(folder, 'processes'));
    await removePostgresData(join(folder, 'postgres'));
    rmSync(folder, { recursive: true, force: true });
  };

  return { folder, stackFile, environment, run, read, track, commissionRules, mint, processes, remove };
}
