import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, ManagedProcess } from '@truetally/processes';
import { Cluster } from './cluster.js';

/** An API server first answers what it has begun; on a slow machine that takes a while. */
const GRACE_MS = 120_000;

/** An API server with its own etcd (tools/manifests/control-plane). */
export interface ControlPlane {
  readonly cluster: Cluster;
  /** @throws when it does not end with 0, or leaves a file */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

export async function startControlPlane(binary: string): Promise<ControlPlane> {
  const folder = mkdtempSync(join(tmpdir(), 'truetally-manifests-'));
  const server = await ManagedProcess.start({
    name: 'control-plane',
    command: binary,
    args: [],
    env: { TMPDIR: folder },
    cwd: folder,
  });
  const kill = async () => {
    await server.stop('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const cluster = await connect(server);
    return { cluster, stop: () => stop(server, cluster, folder), kill };
  } catch (error) {
    await kill();
    throw new Error(`The control plane is not ready:\n${server.tail()}`, { cause: error });
  }
}

async function connect(server: ManagedProcess): Promise<Cluster> {
  const path = await eventually(
    () => !server.isRunning || /^\/\S+\/kubeconfig$/m.exec(server.output())?.[0],
    { message: 'its kubeconfig' },
  );
  if (path === true) throw new Error(`It ${server.describeExit()}.`);
  const cluster = new Cluster(readFileSync(path, 'utf8'));
  await eventually(async () => !server.isRunning || (await cluster.call('/readyz')).status === 200, {
    message: 'the API server',
  });
  if (!server.isRunning) throw new Error(`It ${server.describeExit()}.`);
  return cluster;
}

async function stop(server: ManagedProcess, cluster: Cluster, folder: string): Promise<void> {
  cluster.close();
  const { code } = await server.stop('SIGTERM', GRACE_MS);
  const left = readdirSync(folder);
  rmSync(folder, { recursive: true, force: true });
  if (code !== 0) throw new Error(`The control plane ${server.describeExit()}:\n${server.tail()}`);
  if (left.length > 0) throw new Error(`The control plane left ${left.join(', ')}.`);
}
