import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually, ManagedProcess, request } from '@truetally/processes';
import { FILLED, SECOND_SHOP } from '../demo/second-shop/second-shop.js';
import { dataOf, ownerHeaders } from '../demo/second-shop/shop-client.js';
import { distinctFreePorts } from '../lab/bench/product-stack.js';
import { localFolder } from '../stack/local-folder.js';

const READY_TIMEOUT_MS = 240_000;
const STOP_TIMEOUT_MS = 60_000;

/** A stack with the whole demo, as its owner sees it. */
export interface DemoStack {
  /** Ends with `/dashboard/`. */
  readonly dashboardUrl: string;
  readonly baseUrl: string;
  readonly workspaceId: string;
  /** The second shop, in which every screen shows something. */
  readonly siteId: string;
  readonly ownerToken: string;
  stop(): Promise<void>;
}

interface StackFile {
  readonly dashboard_url: string;
  readonly base_url: string;
  readonly workspace_id: string;
  readonly id_tokens: { readonly owner: string };
}

/** The running stack, else one of its own that ends with `stop`. */
export async function openDemoStack(environment: NodeJS.ProcessEnv): Promise<DemoStack> {
  const { stackFile } = localFolder(environment);
  if (existsSync(stackFile)) return describeStack(stackFile, () => Promise.resolve());
  const folder = mkdtempSync(join(tmpdir(), 'truetally-walk-'));
  const child = await ManagedProcess.start({
    name: 'stack',
    command: process.execPath,
    args: [fileURLToPath(new URL('../start.js', import.meta.url))],
    env: { ...environment, TRUETALLY_LOCAL_DIR: folder, ...(await distinctFreePorts()) },
  });
  const stop = async (): Promise<void> => {
    await child.stop('SIGTERM', STOP_TIMEOUT_MS);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await eventually(() => child.output().includes(FILLED) || !child.isRunning, {
      timeoutMs: READY_TIMEOUT_MS,
      message: () => `the demo: ${child.output()}`,
    });
    return await describeStack(join(folder, 'stack.json'), stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function describeStack(file: string, stop: () => Promise<void>): Promise<DemoStack> {
  const stack = JSON.parse(readFileSync(file, 'utf8')) as StackFile;
  const place = {
    baseUrl: stack.base_url,
    workspaceId: stack.workspace_id,
    ownerToken: stack.id_tokens.owner,
  };
  const url = `${place.baseUrl}/sites?limit=200`;
  type Sites = { readonly items: readonly { readonly id: string; readonly name: string }[] };
  const { items } = dataOf(url, await request<Sites>(url, { headers: ownerHeaders(place) }));
  const siteId = items.find(({ name }) => name === SECOND_SHOP)?.id;
  if (siteId === undefined) throw new Error('The stack has no second shop; start it without --no-demo.');
  return { ...place, siteId, dashboardUrl: stack.dashboard_url, stop };
}
