import { SERVICE_NAMES, type ServiceName, SERVICES } from '@truetally/contracts/services';
import { addressBlocks, integer, list, postgresUrl, readConfig, type Setting } from '@truetally/platform';
import { BLOCKED_PORTS } from './blocked-ports.js';

const MAX_PORT = 65_535;
const ARGUMENTS = ['--no-demo', '--short-demo'];

/** Together in one block, below the range of ports for outgoing connections. */
const SETTINGS = {
  GATEWAY_PORT: httpPort(4180),
  KAFKA_PORT: tcpPort(4192),
  KAFKA_CONTROLLER_PORT: tcpPort(4193),
  /** Of the local OpenID Connect issuer. */
  OIDC_PORT: httpPort(4194),
  POSTGRES_PORT: tcpPort(4132),
  /** Of the dashboard's pages. */
  DASHBOARD_PORT: httpPort(3001),
  DASHBOARD_OPERATIONS_PORT: httpPort(4179),
  /** Of the demo shop's pages. */
  STOREFRONT_PORT: httpPort(3002),
  /** Of the demo's receiver of webhooks. */
  RECEIVER_PORT: httpPort(3003),
  /** Running brokers that are used instead of an embedded one. */
  KAFKA_BROKERS: list({ default: [] }),
  /** An owner's URL of a running database that is used instead of an embedded one. */
  DATABASE_URL: optionalDatabaseUrl(),
  /** Private address blocks that workflows and integrations may name: receivers on this machine. */
  ALLOW_PRIVATE_NETWORKS: { ...addressBlocks(), fallback: () => ['127.0.0.1/32'] },
  /** Origins that may call management routes, besides that of the dashboard. */
  DASHBOARD_ORIGINS: list({ default: [] }),
};

/** Settings of single services that `npm start` passes on if they are set. */
const HANDED_ON = [
  'LOG_LEVEL',
  'SHUTDOWN_TIMEOUT_MS',
  'KAFKA_TOPIC_PARTITIONS',
  'EVENT_PARTITION_SECONDS',
  'DEDUPLICATION_WINDOW_DAYS',
  'EVENT_RETENTION_DAYS',
  'ANALYTICS_STORE',
  'CLICKHOUSE_URL',
  'REPUBLISH_ON_START',
];

const ALL_SETTINGS = {
  ...Object.fromEntries(
    SERVICES.map(({ name, localOperationsPort }) => [operationsPortOf(name), httpPort(localOperationsPort)]),
  ),
  ...SETTINGS,
};

/** Every port of the stack can be set. */
export const PORT_VARIABLES = Object.keys(ALL_SETTINGS).filter((name) => name.endsWith('_PORT'));

export type PortVariable = Extract<keyof typeof SETTINGS, `${string}_PORT`>;

export interface StackConfiguration {
  readonly withDemoTraffic: boolean;
  /** With the second shop, which is filled once the stack is ready. */
  readonly withWholeDemo: boolean;
  readonly ports: Readonly<Record<PortVariable, number>>;
  readonly operationsPorts: Readonly<Record<ServiceName, number>>;
  readonly externalKafka: string | null;
  readonly externalDatabase: string | null;
  readonly dashboardOrigins: readonly string[];
  readonly allowedNetworks: readonly string[];
  readonly handedOn: Readonly<Record<string, string>>;
}

/** @throws ConfigError naming each bad variable; Error for an unknown argument or a port given twice */
export function readStackConfiguration(
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv,
): StackConfiguration {
  const unknown = parameters.find((parameter) => !ARGUMENTS.includes(parameter));
  if (unknown !== undefined) {
    throw new Error(`Unknown argument ${unknown}; there are only ${ARGUMENTS.join(' and ')}.`);
  }
  const config = readConfig(environment, ALL_SETTINGS);
  const {
    KAFKA_BROKERS: brokers,
    DATABASE_URL: externalDatabase,
    DASHBOARD_ORIGINS: furtherOrigins,
    ALLOW_PRIVATE_NETWORKS: allowedNetworks,
    ...ports
  } = config;
  checkDistinct(ports);
  const handedOn = HANDED_ON.flatMap((name) => {
    const value = environment[name];
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  return {
    withDemoTraffic: !parameters.includes('--no-demo'),
    withWholeDemo: parameters.length === 0,
    ports,
    operationsPorts: operationsPorts(ports),
    externalKafka: brokers.length === 0 ? null : brokers.join(','),
    externalDatabase,
    dashboardOrigins: [`http://localhost:${ports.DASHBOARD_PORT}`, ...furtherOrigins],
    allowedNetworks,
    handedOn: Object.fromEntries(handedOn),
  };
}

/** The variable that sets the operations port of a service. */
export function operationsPortOf(service: ServiceName): string {
  return `${service.toUpperCase().replaceAll('-', '_')}_OPERATIONS_PORT`;
}

function operationsPorts(read: Readonly<Record<string, number>>): Record<ServiceName, number> {
  const ports = SERVICE_NAMES.map((name) => [name, read[operationsPortOf(name)]] as const);
  return Object.fromEntries(ports) as Record<ServiceName, number>;
}

function checkDistinct(ports: Readonly<Record<string, number>>): void {
  const names = new Map<number, string>();
  for (const [name, port] of Object.entries(ports)) {
    const other = names.get(port);
    if (other !== undefined) throw new Error(`${other} and ${name} are both ${port}.`);
    names.set(port, name);
  }
}

function tcpPort(fallback: number): Setting<number> {
  return integer({ min: 1, max: MAX_PORT, default: fallback });
}

/** Also one that a browser and `fetch` connect to: they refuse some before they ask anybody. */
function httpPort(fallback: number): Setting<number> {
  const { parse, rule, ...rest } = tcpPort(fallback);
  return {
    ...rest,
    rule: `${rule} that the Fetch standard does not block (https://fetch.spec.whatwg.org/#port-blocking)`,
    parse: (raw) => {
      const port = parse(raw);
      if (BLOCKED_PORTS.has(port)) throw new Error('blocked');
      return port;
    },
  };
}

function optionalDatabaseUrl(): Setting<string | null> {
  return { ...postgresUrl(), fallback: () => null };
}
