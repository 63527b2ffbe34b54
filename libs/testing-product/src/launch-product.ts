import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ALL_TOPICS, SERVICE_NAMES, type ServiceName } from '@truetally/contracts/services';
import {
  freePort,
  type LocalServer,
  type LocalService,
  REPOSITORY_ROOT,
  settleAll,
  spawnService,
  spawnTogether,
  startIssuer,
} from '@truetally/processes';
import { eventually, type TestStack, testStack } from '@truetally/testing';
import { migrateProduct } from './migrate-product.js';
import { newInstallation } from './new-installation.js';
import { openMessaging } from './open-messaging.js';
import { type GatewayAddresses, Product } from './product.js';
import {
  type Environment,
  type Installation,
  type KafkaUsers,
  programsPath,
  serviceEnvironment,
} from './services.js';

/** Which services to launch, how many of each, and on which stack. */
export interface LaunchOptions {
  /** Default: all. Unused processes would cost every test their start. */
  readonly services?: readonly ServiceName[];
  /** Number of processes per service; default: one. */
  readonly replicas?: Partial<Record<ServiceName, number>>;
  /**
   * All of them in one process, for a test that stops, kills and restarts none: what they share is loaded once, which is
   * most of the time of a launch.
   */
  readonly inOneProcess?: boolean;
  /** With `inOneProcess`: the services that a test stops, kills or measures, in processes of their own. */
  readonly apart?: readonly ServiceName[];
  /** In addition to each service's own. */
  readonly env?: Partial<Record<ServiceName, Environment>>;
  /** Size of each process's old space, e.g. that of the manifests. */
  readonly oldSpaceMib?: Partial<Record<ServiceName, number>>;
  /** Where each process writes what it logs. Default: in memory, up to a bound. */
  readonly logFolder?: string;
  /** Default: the Kafka and Postgres of this test run. */
  readonly stack?: TestStack;
  /** The repository whose builds are run. Default: this one. */
  readonly root?: string;
  /** Origins of dashboards, whose pages may call management routes and sign in at the issuer. */
  readonly dashboardOrigins?: readonly string[];
  /** Topics are made with few partitions: half of the broker's work of a launch. Default: on the test run's stack. */
  readonly hasFewPartitions?: boolean;
  /** Gives users of a secured Kafka for an installation, and lets them in. Default: plain connections. */
  readonly admit?: (installation: Installation) => Promise<KafkaUsers>;
}

/** A running gateway with its public addresses. */
export interface LocalGateway extends LocalService, GatewayAddresses {}

/** Enough that two replicas share the work. */
export const FEW_PARTITIONS = 2;
/** The product's topics, which a test makes with half of the broker's work. */
export const SMALL_TOPICS = ALL_TOPICS.map((topic) => ({ ...topic, partitions: FEW_PARTITIONS }));
/** Has services make them so. */
export const WITH_FEW_PARTITIONS: Environment = {
  KAFKA_TOPIC_PARTITIONS: ALL_TOPICS.filter(({ partitions }) => partitions > FEW_PARTITIONS)
    .map(({ name }) => `${name}=${FEW_PARTITIONS}`)
    .join(','),
};
const SERVE_EACH = join(REPOSITORY_ROOT, 'libs', 'testing-product', 'dist', 'serve-each.js');

/** Runs the whole product from its builds, with topics, schemas and roles of its own, on free ports. */
export async function launchProduct(options: LaunchOptions = {}): Promise<LaunchedProduct> {
  const { dashboardOrigins = [] } = options;
  const made = await newInstallation(options.stack ?? testStack(), dashboardOrigins);
  const kafkaUsers = await options.admit?.(made);
  const installation = kafkaUsers === undefined ? made : { ...made, kafkaUsers };
  const product = new LaunchedProduct(installation, options);
  try {
    await product.start(options);
    return product;
  } catch (error) {
    await product.stop();
    throw error;
  }
}

/** A product and its processes, owned by the caller that launched it. */
export class LaunchedProduct extends Product {
  readonly gateways: LocalGateway[] = [];
  private readonly others = new Map<ServiceName, LocalService[]>();
  private readonly migrated = new Set<ServiceName>();
  private localIssuer: LocalServer | undefined;

  private root: string;
  private logFiles = 0;

  constructor(
    installation: Installation,
    private readonly options: Pick<
      LaunchOptions,
      'env' | 'oldSpaceMib' | 'root' | 'logFolder' | 'stack' | 'hasFewPartitions'
    >,
  ) {
    super(installation);
    this.root = options.root ?? REPOSITORY_ROOT;
  }

  async start({
    services = SERVICE_NAMES,
    replicas = {},
    inOneProcess = false,
    apart = [],
  }: LaunchOptions): Promise<void> {
    await this.migrate(services);
    const wanted = services.flatMap((name) => Array.from({ length: replicas[name] ?? 1 }, () => name));
    const isApart = (name: ServiceName): boolean => !inOneProcess || apart.includes(name);
    const together = wanted.filter((name) => !isApart(name));
    await settleAll([
      startIssuer(this.installation.issuer).then((issuer) => (this.localIssuer = issuer)),
      ...(together.length === 0 ? [] : [this.addTogether(together)]),
      ...wanted.filter(isApart).map((name): Promise<unknown> => this.add(name)),
    ]);
    await this.connect();
  }

  override get gateway(): LocalGateway {
    return first(this.gateways, 'gateway');
  }

  get management(): LocalService {
    return first(this.processes('management'), 'management');
  }

  /** Publishes the keys of ID tokens; reads `installation.issuer.keysFile` at each start. */
  get issuer(): LocalServer {
    if (this.localIssuer === undefined) throw new Error('The product has not been started');
    return this.localIssuer;
  }

  override operationsPort(service: ServiceName): number {
    return first(this.processes(service), service).operationsPort;
  }

  override logs(): Promise<string> {
    const services = SERVICE_NAMES.flatMap((name) => this.processes(name));
    const outputs = new Map(services.map((service) => [service.pid, service.output()]));
    return Promise.resolve([...outputs.values()].join('\n'));
  }

  /** The processes of one service, in the order in which they became ready. */
  processes(name: ServiceName): readonly LocalService[] {
    return name === 'gateway' ? this.gateways : (this.others.get(name) ?? []);
  }

  /**
   * Starts one more process of a service; resolves when it is ready.
   * @param more environment of this process, in front of what its service has in this product
   */
  async add(name: ServiceName, more: Environment = {}): Promise<LocalService> {
    if (name === 'gateway') return this.addGateway(more);
    await this.migrate([name]);
    return this.keep(name, await this.run(name, more));
  }

  async addGateway(more: Environment = {}): Promise<LocalGateway> {
    const port = await freePort();
    return this.keepGateway(port, await this.run('gateway', { ...listeningOn(port), ...more }));
  }

  /** Starts one more process, of all these services; resolves when they are ready. */
  async addTogether(names: readonly ServiceName[]): Promise<void> {
    await this.migrate(names);
    const ports = await Promise.all(names.map(() => freePort()));
    const services = names.map((app, index) => ({
      app,
      programs: programsPath(app),
      env: this.environmentOf(app, app === 'gateway' ? listeningOn(ports[index] ?? 0) : {}),
    }));
    const started = await spawnTogether(SERVE_EACH, services, this.logFileOf('together'));
    for (const [index, service] of started.entries()) {
      const name = names[index];
      if (name === 'gateway') this.keepGateway(ports[index] ?? 0, service);
      else if (name !== undefined) this.keep(name, service);
    }
  }

  private keep(name: ServiceName, service: LocalService): LocalService {
    this.others.set(name, [...this.processes(name), service]);
    return service;
  }

  private keepGateway(port: number, service: LocalService): LocalGateway {
    const origin = `http://127.0.0.1:${port}`;
    const gateway = Object.assign(service, { baseUrl: `${origin}/api/v1`, adminUrl: `${origin}/api/admin` });
    this.gateways.push(gateway);
    return gateway;
  }

  /** Later processes start from another build, whose migrations run at once. */
  async upgrade(root: string): Promise<void> {
    this.root = root;
    await migrateProduct(this.installation, { services: [...this.migrated], root });
  }

  /** Forgets a process of a service that the caller has ended. */
  forget(service: LocalService): void {
    const gateway = this.gateways.findIndex((one) => one === service);
    if (gateway !== -1) this.gateways.splice(gateway, 1);
    for (const [name, list] of this.others) {
      this.others.set(
        name,
        list.filter((one) => one !== service),
      );
    }
  }

  /** Stops every process, and removes keys and topics, with which the Kafka of others would have to work. */
  override async stop(): Promise<void> {
    await super.stop();
    const services = SERVICE_NAMES.flatMap((name) => this.processes(name));
    const processes = new Map(services.map((service) => [service.pid, service]));
    await Promise.all([...processes.values(), this.localIssuer].map((service) => service?.stop()));
    const { installation } = this;
    // A Kafka of its own is stopped with it, and the run's with the product that all tests of a run share.
    if (installation.kafkaBrokers === process.env['TEST_KAFKA_BROKERS']) await removeTopics(installation);
    rmSync(dirname(installation.keyringFile), { recursive: true, force: true });
  }

  private async migrate(services: readonly ServiceName[]): Promise<void> {
    const missing = services.filter((service) => !this.migrated.has(service));
    if (missing.length === 0) return;
    missing.forEach((service) => this.migrated.add(service));
    const { env = {} } = this.options;
    await migrateProduct(this.installation, { services: missing, root: this.root, env });
  }

  private run(app: ServiceName, more: Environment = {}): Promise<LocalService> {
    const env = this.environmentOf(app, more);
    const oldSpaceMib = this.options.oldSpaceMib?.[app];
    const logFile = this.logFileOf(app);
    return spawnService({
      app,
      programs: programsPath(app),
      env,
      root: this.root,
      ...(oldSpaceMib === undefined ? {} : { oldSpaceMib }),
      ...(logFile === undefined ? {} : { logFile }),
    });
  }

  private logFileOf(name: string): string | undefined {
    const { logFolder } = this.options;
    return logFolder === undefined ? undefined : join(logFolder, `${name}-${(this.logFiles += 1)}.log`);
  }

  private environmentOf(app: ServiceName, more: Environment): Environment {
    const { stack, hasFewPartitions = stack === undefined, env } = this.options;
    const topics = hasFewPartitions ? WITH_FEW_PARTITIONS : {};
    return { ...serviceEnvironment(this.installation, app), ...topics, ...env?.[app], ...more };
  }
}

async function removeTopics({ kafkaBrokers, topicPrefix, kafkaUsers }: Installation): Promise<void> {
  const messaging = await openMessaging(kafkaBrokers, topicPrefix, 'cleaner', kafkaUsers?.operator);
  try {
    await messaging.administer(async (admin) => {
      // A topic whose deletion began elsewhere may be listed and not be there any more, which refuses the whole request.
      await eventually(async () => {
        const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(topicPrefix));
        if (topics.length > 0) await admin.deleteTopics({ topics });
        return true;
      });
    });
  } finally {
    await messaging.close();
  }
}

function listeningOn(port: number): Environment {
  return { HTTP_HOST: '127.0.0.1', HTTP_PORT: String(port) };
}

function first<T>(services: readonly T[], name: string): T {
  const service = services[0];
  if (service === undefined) throw new Error(`No ${name} was started`);
  return service;
}
