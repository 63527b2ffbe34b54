import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ManagedProcess, programEnvironment } from '@truetally/processes';
import { type Environment } from '@truetally/testing-product';
import { type ImageProcess, type MountedFiles } from './image.js';

/** The part of an image's configuration that says how it runs. */
export interface ImageConfiguration {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly StopSignal: string;
  /** `CMD`, and the program with its arguments; an image may have none. */
  readonly Healthcheck?: { readonly Test: readonly string[] };
}

/** What runs, and where. */
export interface ContainerOptions {
  readonly name: string;
  /** For what runc knows of containers. */
  readonly folder: string;
  /** The image's files. */
  readonly root: string;
  readonly configuration: ImageConfiguration;
  /** After the entry point. */
  readonly args: readonly string[];
  readonly env: Environment;
  readonly files: MountedFiles;
}

const OCI_VERSION = '1.0.2';
const TMP_SIZE = '64m';
const DELETE_TIMEOUT_MS = 30_000;
/** As docker gives them: what a program reads of its kernel, and devices that it cannot misuse. */
const KERNEL_MOUNTS: readonly Mount[] = [
  { destination: '/proc', type: 'proc', source: 'proc', options: ['nosuid', 'noexec', 'nodev'] },
  { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755', 'size=64k'] },
  {
    destination: '/dev/shm',
    type: 'tmpfs',
    source: 'shm',
    options: ['nosuid', 'noexec', 'nodev', 'size=64m'],
  },
  { destination: '/sys', type: 'sysfs', source: 'sysfs', options: ['nosuid', 'noexec', 'nodev', 'ro'] },
];
const MASKED = ['/proc/kcore', '/proc/keys', '/proc/timer_list', '/proc/sched_debug', '/sys/firmware'];
const READ_ONLY = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];
/** With the machine's network, names are what they are there. */
const NAMES = ['/etc/hosts', '/etc/resolv.conf'];

/**
 * Runs a program of an image with runc, as docker/compose.yaml has it: the image's user, no capability and no
 * new privileges, a read-only root, and /tmp in memory. It shares the machine's network, where Kafka and
 * Postgres listen on loopback.
 */
export async function startContainer(options: ContainerOptions): Promise<ImageProcess> {
  const { name, folder, configuration } = options;
  const bundle = join(folder, `bundle-${name}`);
  mkdirSync(bundle, { recursive: true });
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(specification(options)));
  const runc = (...args: readonly string[]) =>
    ManagedProcess.start({
      name,
      command: 'runc',
      args: ['--root', join(folder, 'runc'), ...args],
      env: programEnvironment(),
      cwd: bundle,
    });
  const child = await runc('run', '--bundle', bundle, name);
  return {
    process: child,
    checkHealth: async () => {
      const [, ...command] = configuration.Healthcheck?.Test ?? [];
      const check = await runc('exec', name, ...command);
      return (await check.exited).code;
    },
    kill: async () => {
      // The end of its container ends `runc run`; killed itself, it would leave the container behind.
      const deletion = await runc('delete', '--force', name);
      await deletion.exited;
      await child.stop('SIGTERM', DELETE_TIMEOUT_MS);
    },
  };
}

interface Mount {
  readonly destination: string;
  readonly type: string;
  readonly source: string;
  readonly options: readonly string[];
}

/** What runc reads: the runtime specification of the Open Container Initiative. */
export function specification({ name, root, configuration, args, env, files }: ContainerOptions) {
  const [uid, gid] = configuration.User.split(':').map(Number);
  return {
    ociVersion: OCI_VERSION,
    hostname: name,
    root: { path: root, readonly: true },
    process: {
      user: { uid, gid },
      cwd: configuration.WorkingDir,
      args: [...configuration.Entrypoint, ...args],
      env: [...configuration.Env, ...Object.entries(env).map((variable) => variable.join('='))],
      capabilities: { bounding: [], effective: [], inheritable: [], permitted: [], ambient: [] },
      noNewPrivileges: true,
    },
    mounts: [
      ...KERNEL_MOUNTS,
      {
        destination: '/tmp',
        type: 'tmpfs',
        source: 'tmpfs',
        options: ['nosuid', 'nodev', 'noexec', 'mode=1777', `size=${TMP_SIZE}`],
      },
      ...[...NAMES, ...files.readable].map((path) => mounted(path, 'ro')),
      ...files.writable.map((path) => mounted(path, 'rw')),
    ],
    linux: {
      namespaces: ['pid', 'ipc', 'uts', 'mount'].map((type) => ({ type })),
      maskedPaths: MASKED,
      readonlyPaths: READ_ONLY,
    },
  };
}

function mounted(path: string, access: 'ro' | 'rw'): Mount {
  return { destination: path, type: 'bind', source: path, options: ['bind', 'nosuid', 'nodev', access] };
}
