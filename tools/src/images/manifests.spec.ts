import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ALL_TOPICS, programsOf, SERVICE_NAMES, SERVICES } from '@truetally/contracts/services';
import { DAY_MS } from '@truetally/kernel';
import { brokerSettings } from '@truetally/processes';
import { REPOSITORY_ROOT } from '@truetally/testing';
import { parse, parseAllDocuments } from 'yaml';
import { chartServices } from '../chart/chart-services.js';

function read(...path: readonly string[]): string {
  return readFileSync(join(REPOSITORY_ROOT, ...path), 'utf8');
}

/** Variables that a manifest sets: `- NAME=…`, `NAME: …` or `name: NAME`. */
function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(/^\s*(?:- )?(?:\{ name: |name: )?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?=[:=,]|$)/gm)]
    .map(([, name]) => name ?? '')
    .filter((name) => !/^(POSTGRES|GF|KAFKA_(?!BROKERS|TOPIC_PREFIX|REQUIRE|SECURITY|SSL|SASL))/.test(name));
}

const MINUTE_MS = 60_000;

/** The name of an alert, and its expression. */
const ALERT = /- alert: (\w+)\n\s+expr: (.+)\n/g;

interface ServiceValues {
  readonly secrets?: Readonly<Record<string, string>>;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly asks?: { readonly topic: string };
  readonly lag?: { readonly group: string; readonly topic: string };
}

interface BrokerConfig {
  readonly config: Readonly<Record<string, unknown>>;
}

interface WorkflowJob {
  readonly needs?: string | readonly string[];
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}

interface ReleaseWorkflow {
  readonly jobs: {
    readonly version: WorkflowJob;
    readonly smoke: WorkflowJob;
    readonly images: WorkflowJob & {
      readonly strategy: { readonly matrix: { readonly service: readonly string[] } };
    };
  };
}

const VALUES = parse(read('k8s', 'chart', 'values.yaml')) as {
  readonly config: Readonly<Record<string, unknown>>;
  readonly services: Readonly<Record<string, ServiceValues>>;
};

/** Variables that the chart's templates set. */
const SET_BY_TEMPLATES = ['config', 'dashboard', 'services', 'migrations', '_helpers'].flatMap((name) =>
  variablesIn(read('k8s', 'chart', 'templates', `${name}${name === '_helpers' ? '.tpl' : '.yaml'}`)),
);

interface ValuesSchema {
  readonly definitions: {
    readonly variableName: {
      readonly anyOf: readonly [{ readonly enum: readonly string[] }, { readonly pattern: string }];
    };
  };
}

const SCHEMA = JSON.parse(read('k8s', 'chart', 'values.schema.json')) as ValuesSchema;

describe('docker/ and k8s/', () => {
  it.each(SERVICE_NAMES)('deploy %s, after its migration', (service) => {
    expect(Object.keys(VALUES.services)).toContain(service);
    const compose = read('docker', 'compose.yaml');
    expect(compose).toMatch(new RegExp(`^  ${service}:$`, 'm'));
    expect(compose).toMatch(new RegExp(`^  migrate-${service}:$`, 'm'));
    const release = parse(read('.github', 'workflows', 'release.yaml')) as ReleaseWorkflow;
    expect(release.jobs.images.strategy.matrix.service).toContain(programsOf(service).app);
  });

  it('the pages are built, started and deployed beside the services', () => {
    expect(read('docker', 'compose.yaml')).toMatch(/^ {2}dashboard:$/m);
    const release = parse(read('.github', 'workflows', 'release.yaml')) as ReleaseWorkflow;
    expect(release.jobs.images.strategy.matrix.service).toContain('dashboard');
    expect(read('k8s', 'chart', 'templates', 'dashboard.yaml')).toContain('kind: Deployment');
  });

  it('Kafka keeps the place of a service that is away for longer than any fact, in a cluster, in Compose and on this machine', () => {
    const cluster = parseAllDocuments(read('k8s', 'infrastructure', 'kafka.yaml'))
      .map((document) => document.toJS() as { readonly spec: { readonly kafka?: BrokerConfig } })
      .find(({ spec }) => spec.kafka !== undefined);
    const compose = parse(read('docker', 'compose.yaml')) as {
      readonly 'x-broker-environment': Readonly<Record<string, unknown>>;
    };
    const place = { dataDir: '', port: 1, controllerPort: 2 };
    const minutes = [
      cluster?.spec.kafka?.config['offsets.retention.minutes'],
      compose['x-broker-environment']['KAFKA_OFFSETS_RETENTION_MINUTES'],
      brokerSettings(place, '')['offsets.retention.minutes'],
    ];
    const keptMs = ALL_TOPICS.map(({ config }) => Number(config?.['retention.ms'] ?? 0));
    // A broker removes whole segments, which span a week.
    const longest = (Math.max(...keptMs) + 7 * DAY_MS) / MINUTE_MS;
    for (const each of minutes) expect(each).toBeGreaterThan(longest);
  });

  it('a release scans every image before it tags or pushes anything', () => {
    const { version, smoke, images } = (
      parse(read('.github', 'workflows', 'release.yaml')) as ReleaseWorkflow
    ).jobs;
    expect(version.needs).toContain('smoke');
    expect(images.needs).toBe('version');
    expect(smoke.steps.map(({ uses, run }) => uses ?? run).join('\n')).toMatch(
      /k8s\/smoke\.sh[^]*grype[^]*for app in apps/,
    );
    expect(images.steps.filter(({ uses }) => uses?.startsWith('anchore/scan-action') === true)).toEqual([]);
  });

  it('the identity provider has, where its root is read-only, the /tmp that its entry point writes to', () => {
    const { services } = parse(read('docker', 'compose.yaml'), { merge: true }) as {
      readonly services: Readonly<Record<string, { readonly read_only?: boolean; readonly tmpfs?: unknown }>>;
    };
    expect(services['dex']).toMatchObject({ read_only: true, tmpfs: ['/tmp'] });
    const local = read('k8s', 'local', 'dex.yaml');
    expect(local).toContain('readOnlyRootFilesystem: true');
    expect(local).toContain('mountPath: /tmp }');
  });

  it('the chart has the services of the catalogue, as the program prints them', () => {
    expect(read('k8s', 'chart', 'services.yaml')).toBe(chartServices());
    expect(Object.keys(VALUES.services).toSorted()).toEqual([...SERVICE_NAMES].toSorted());
  });

  it('set only variables that the page about configuration names, or the same in a file', () => {
    const documented = new Set(
      read('docs', 'configuration.md')
        .match(/`[A-Z][A-Z0-9_]+`/g)
        ?.map((name) => name.slice(1, -1)),
    );
    const said = Object.values(VALUES.services).flatMap(({ secrets, config }) => [
      ...Object.keys(secrets ?? {}),
      ...Object.keys(config ?? {}),
    ]);
    const set = [...SET_BY_TEMPLATES, ...Object.keys(VALUES.config), ...said];
    expect(set.length).toBeGreaterThan(20);
    const unknown = set.filter(
      (name) => !documented.has(name) && !documented.has(name.replace(/_FILE$/, '')),
    );
    expect(unknown).toEqual([]);
  });

  it('take every setting of the page about configuration that the chart does not set itself, and no misspelt one', () => {
    const files = Object.values(VALUES.services).flatMap(({ secrets }) => Object.keys(secrets ?? {}));
    const own = new Set(
      [...SET_BY_TEMPLATES, ...files]
        .flatMap((name) => [name, name.replace(/_FILE$/, '')])
        .filter((name) => name !== 'LOG_LEVEL'),
    );
    const settings = read('docs', 'configuration.md')
      .split('\n')
      .filter((line) => line.startsWith('| `') && !line.includes(' | `migrate` | '))
      .flatMap((line) => line.split(' | ')[0]?.match(/[A-Z][A-Z0-9_]+/g) ?? []);
    const { anyOf } = SCHEMA.definitions.variableName;
    expect(anyOf[0].enum).toEqual(settings.filter((name) => !own.has(name)).toSorted());
    const foreign = new RegExp(anyOf[1].pattern);
    expect(settings.filter((name) => foreign.test(name))).toEqual([]);
    expect(['NODE_OPTIONS', 'HTTPS_PROXY', 'TZ'].every((name) => foreign.test(name))).toBe(true);
  });

  it('give Prometheus the same alerts everywhere, each with a runbook', () => {
    const rules = read('docker', 'observability', 'alerts.yaml');
    expect(read('k8s', 'chart', 'alerts.yaml')).toBe(rules);
    expect(read('k8s', 'chart', 'dashboard.json')).toBe(
      read('docker', 'observability', 'grafana', 'dashboards', 'truetally.json'),
    );
    const everywhere = rules + read('k8s', 'infrastructure', 'monitoring.yaml');
    const alerts = [...everywhere.matchAll(ALERT)];
    expect(alerts).toHaveLength(everywhere.split('- alert: ').length - 1);
    expect(alerts.length).toBeGreaterThan(10);
    const sections = new Map(
      read('docs', 'operations', 'runbooks.md')
        .split('\n## ')
        .map((section) => [section.slice(0, section.indexOf('\n')), section]),
    );
    for (const [, name = '', expression = ''] of alerts) {
      expect(sections.get(name)).toContain(`\n\`\`\`promql\n${expression}\n\`\`\`\n`);
      expect(everywhere).toContain(`runbooks.md#${name.toLowerCase()}\n`);
    }
  });

  it.each(SERVICES.filter(({ role }) => role === 'behind'))(
    'an alert tells when $name is absent, and when one of its groups stands still',
    ({ name }) => {
      const alerts = new Map(
        [...read('docker', 'observability', 'alerts.yaml').matchAll(ALERT)].map(([, key, text]) => [
          key,
          text,
        ]),
      );
      expect(alerts.get('ServiceAbsent')).toContain(`service="${name}"`);
      const [, groups = ''] = /consumer_lag\{group=~"([^"]+)"/.exec(alerts.get('ConsumerStuck') ?? '') ?? [];
      expect([name, `${name}.fold-facts`].map((group) => new RegExp(`^(?:${groups})$`).test(group))).toEqual([
        true,
        true,
      ]);
    },
  );

  it('the public host has every path of the API but those of the platform team', () => {
    const [, listed = ''] =
      /"isPublic" true "paths" \(list ([^)]*)\)/.exec(read('k8s', 'chart', 'templates', 'ingress.yaml')) ??
      [];
    const routed = [...listed.matchAll(/"([^"]+)"/g)].map(([, path]) => path ?? '');
    const isBelow = (path: string, parent: string): boolean =>
      path === parent || path.startsWith(`${parent}/`);
    const { paths } = JSON.parse(read('docs', 'openapi.json')) as { readonly paths: object };
    const known = Object.keys(paths);
    expect(routed.filter((parent) => !known.some((path) => isBelow(path, parent)))).toEqual([]);
    const left = known.filter((path) => !routed.some((parent) => isBelow(path, parent)));
    expect(left.filter((path) => !isBelow(path, '/api/admin'))).toEqual([]);
    expect(left.length).toBeGreaterThan(0);
  });

  it('scale by how long the answers of topics take that exist', () => {
    const asked = Object.values(VALUES.services).flatMap(({ asks }) =>
      asks === undefined ? [] : [asks.topic],
    );
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((topic) => !ALL_TOPICS.some(({ name }) => name === topic))).toEqual([]);
  });

  it('scale by the lag of groups that exist, on topics that they read', () => {
    const scaled = Object.values(VALUES.services).flatMap(({ lag }) => (lag === undefined ? [] : [lag]));
    expect(scaled.length).toBeGreaterThan(0);
    const sources = sourceTexts(['apps']);
    for (const { group, topic } of scaled) {
      expect(ALL_TOPICS.map(({ name }) => name)).toContain(topic);
      // A topic that is read in batches has the group `<service>.<topic>`; a subscription names its own.
      const isOfBatches = SERVICE_NAMES.some((service) => group === `${service}.${topic}`);
      expect(isOfBatches || sources.some((text) => text.includes(`'${group}'`))).toBe(true);
    }
  });

  it('draw and judge only metrics that a process has', () => {
    const used = ['alerts.yaml', join('grafana', 'dashboards', 'truetally.json')]
      .flatMap((file) => read('docker', 'observability', file).match(/truetally_[a-z_]+/g) ?? [])
      .map((name) => name.replace(/^truetally_/, '').replace(/_(bucket|sum|count)$/, ''));
    const sources = sourceTexts(['apps', 'libs']);
    const unknown = [...new Set(used)].filter(
      (name) => !sources.some((text) => new RegExp(`\\b${name}\\b`).test(text)),
    );
    expect(unknown).toEqual([]);
  });
});

/** Contents of the product's own source files, without tests and compiled files. */
function sourceTexts(folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(REPOSITORY_ROOT, folder)).flatMap((project) => {
      const source = join(REPOSITORY_ROOT, folder, project, 'src');
      if (!existsSync(source)) return [];
      return readdirSync(source, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts') && !name.endsWith('spec.ts'))
        .map((name) => readFileSync(join(source, name), 'utf8'));
    }),
  );
}
