import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_NAMES, type ServiceName } from '@truetally/contracts/services';
import {
  archiveSettings,
  type LocalKafka,
  type LocalPostgres,
  removePostgresData,
  REPOSITORY_ROOT,
  settleAll,
  startKafka,
  startKafkaCluster,
  startPostgres,
} from '@truetally/processes';
import {
  clockEnvironment,
  type FaultyLink,
  mountSmallFileSystem,
  openFaultyLink,
  openKafkaLink,
  type SmallFileSystem,
  type TestStack,
} from '@truetally/testing';
import { type Environment, launchProduct, type LaunchedProduct } from '@truetally/testing-product';
import { Balancer } from './balancer.js';
import { Rotation } from './rotation.js';
import { openShop, type Shop } from './shop.js';

/** The number of brokers of a scenario. */
export type Stand = 1 | 3;

export interface ArenaOptions {
  readonly root?: string;
  readonly replicated?: readonly ServiceName[];
  /** With one process, of its own. Default: what is not replicated shares one. */
  readonly apart?: readonly ServiceName[];
  readonly env?: Partial<Record<ServiceName, Environment>>;
  /** Enough for two replicas, and half of the broker's work. */
  readonly hasFewPartitions?: boolean;
  /** Postgres archives its log, and its disk is not small. */
  readonly isArchived?: boolean;
}

/**
 * The product with two replicas of the services that a fault hits in turn, and everything around it that can
 * fail.
 */
export interface Arena {
  readonly folder: string;
  readonly product: LaunchedProduct;
  readonly shop: Shop;
  readonly rotation: Rotation;
  readonly balancer: Balancer;
  readonly kafka: readonly LocalKafka[];
  /** The link between every service and the only broker; undefined with several brokers. */
  readonly toKafka: FaultyLink | undefined;
  readonly toPostgres: FaultyLink;
  /** The target of the link. */
  postgres: LocalPostgres;
  readonly disks: Disks | null;
  /** Where Postgres archives its log, if it does. */
  readonly archive: string | undefined;
  /** Of the owner, through the link. */
  readonly databaseUrl: string;
  /** Makes the clock of a service's processes wrong by this amount. */
  shiftClock(service: ServiceName, aheadMs: number): void;
  close(): Promise<void>;
}

export interface Disks {
  readonly kafka: SmallFileSystem;
  readonly postgres: SmallFileSystem;
}

export const POSTGRES_USER = { user: 'postgres', password: 'postgres' } as const;

type Closer = () => Promise<void> | void;

const REPLICAS = 2;
const SESSIONS = 200;
const DISK_MEBIBYTES = 1_024;
/** So that normal operation does not fill a small disk. */
const SMALL_LOG = { max_wal_size: '192MB', min_wal_size: '48MB' } as const;

/**
 * The disks of a single broker and of Postgres are small ones that can be filled, if they can be mounted.
 * @param root the repository whose builds are run
 * @param replicated the services with two processes; the others have one
 */
export async function openArena(
  brokers: Stand,
  { isArchived = false, ...options }: ArenaOptions = {},
): Promise<Arena> {
  const folder = mkdtempSync(join(tmpdir(), 'truetally-chaos-'));
  // Postgres' account must be able to pass through.
  chmodSync(folder, 0o755);
  const closers: Closer[] = [
    () => {
      rmSync(folder, { recursive: true, force: true });
    },
  ];
  const close = async (): Promise<void> => {
    for (const end of closers.toReversed()) await end();
  };
  try {
    const disks = brokers === 1 && !isArchived ? mountDisks(folder, closers) : null;
    const archive = isArchived ? join(folder, 'archive') : undefined;
    const [kafka, postgres] = await settleAll([
      startBrokers(disks?.kafka.folder ?? folder, brokers, closers),
      startDatabase(disks?.postgres.folder ?? folder, archive),
    ]);
    const [only] = kafka;
    const toKafka = brokers === 1 && only !== undefined ? await openKafkaLink(only.brokers) : undefined;
    const toPostgres = await openFaultyLink(new URL(postgres.url).host);
    const databaseUrl = postgres.url.replace(new URL(postgres.url).host, toPostgres.address);
    const kafkaBrokers = toKafka?.address ?? kafka.map((broker) => broker.brokers).join(',');
    const state = { postgres };
    closers.push(async () => {
      await state.postgres.stop();
      await removePostgresData(state.postgres.dataDir);
      await Promise.all([toKafka?.close(), toPostgres.close()]);
    });
    const product = await launch({ kafkaBrokers, databaseUrl }, folder, options);
    closers.push(() => product.stop());
    const balancer = await Balancer.open(product);
    closers.push(() => balancer.close());
    return Object.assign(state, {
      folder,
      product,
      shop: await openShop(product, SESSIONS),
      rotation: new Rotation(product),
      balancer,
      kafka,
      toKafka,
      toPostgres,
      disks,
      archive,
      databaseUrl,
      shiftClock: (service: ServiceName, aheadMs: number) => {
        writeFileSync(clockFile(folder, service), String(aheadMs));
      },
      close,
    });
  } catch (error) {
    await close();
    throw error;
  }
}

async function startBrokers(
  folder: string,
  brokers: number,
  closers: Closer[],
): Promise<readonly LocalKafka[]> {
  const dataDir = join(folder, 'kafka');
  const nodes =
    brokers === 1 ? [await startKafka({ dataDir })] : (await startKafkaCluster(dataDir, brokers)).nodes;
  // In parallel: a broker waits for its peers.
  closers.push(async () => {
    await Promise.all(nodes.map((node) => node.kill()));
  });
  return nodes;
}

function startDatabase(folder: string, archive: string | undefined): Promise<LocalPostgres> {
  const settings = archive === undefined ? SMALL_LOG : { ...SMALL_LOG, ...archiveSettings(archive) };
  return startPostgres({ dataDir: join(folder, 'postgres'), ...POSTGRES_USER, settings });
}

function mountDisks(folder: string, closers: Closer[]): Disks | null {
  const mounted = ['kafka-disk', 'postgres-disk'].map((name) => {
    const disk = mountSmallFileSystem(join(folder, name), DISK_MEBIBYTES);
    if (disk !== null) closers.push(() => disk.remove());
    return disk;
  });
  const [kafka, postgres] = mounted;
  return kafka && postgres ? { kafka, postgres } : null;
}

function launch(
  stack: TestStack,
  folder: string,
  {
    root = REPOSITORY_ROOT,
    replicated = SERVICE_NAMES,
    apart = [],
    env = {},
    hasFewPartitions,
  }: ArenaOptions,
): Promise<LaunchedProduct> {
  mkdirSync(join(folder, 'clocks'));
  const of = <T>(value: (service: ServiceName) => T): Record<ServiceName, T> =>
    Object.fromEntries(SERVICE_NAMES.map((service) => [service, value(service)])) as Record<ServiceName, T>;
  return launchProduct({
    stack,
    root,
    // What no fault hits in turn needs no processes of its own.
    inOneProcess: true,
    ...(hasFewPartitions === undefined ? {} : { hasFewPartitions }),
    apart: [...replicated, ...apart],
    replicas: of((service) => (replicated.includes(service) ? REPLICAS : 1)),
    env: of((service) => ({ ...clockEnvironment(clockFile(folder, service)), ...env[service] })),
  });
}

function clockFile(folder: string, service: ServiceName): string {
  return join(folder, 'clocks', service);
}
