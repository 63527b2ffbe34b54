import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ALL_TOPICS, SERVICE_NAMES } from '@truetally/contracts/services';
import { REPOSITORY_ROOT } from '@truetally/testing';

function read(...path: readonly string[]): string {
  return readFileSync(join(REPOSITORY_ROOT, ...path), 'utf8');
}

/** Variables that a manifest sets: `- NAME=…`, `NAME: …` or `name: NAME`. */
function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(/^\s*(?:- )?(?:\{ name: |name: )?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?=[:=,]|$)/gm)]
    .map(([, name]) => name ?? '')
    .filter((name) => !/^(POSTGRES|GF|KAFKA_(?!BROKERS|TOPIC_PREFIX|REQUIRE|SECURITY|SSL|SASL))/.test(name));
}

describe('docker/ and k8s/', () => {
  it.each(SERVICE_NAMES)('deploy %s, after its migration', (service) => {
    expect(existsSync(join(REPOSITORY_ROOT, 'k8s', 'base', `${service}.yaml`))).toBe(true);
    expect(existsSync(join(REPOSITORY_ROOT, 'k8s', 'migrations', `${service}.yaml`))).toBe(true);
    expect(read('k8s', 'base', 'kustomization.yaml')).toContain(`- ${service}.yaml`);
    expect(read('k8s', 'migrations', 'kustomization.yaml')).toContain(`- ${service}.yaml`);
    expect(read('k8s', 'rollout.sh')).toContain(service);
    const compose = read('docker', 'compose.yaml');
    expect(compose).toMatch(new RegExp(`^  ${service}:$`, 'm'));
    expect(compose).toMatch(new RegExp(`^  migrate-${service}:$`, 'm'));
  });

  it('set only variables that the page about configuration names, or the same in a file', () => {
    const documented = new Set(
      read('docs', 'configuration.md')
        .match(/`[A-Z][A-Z0-9_]+`/g)
        ?.map((name) => name.slice(1, -1)),
    );
    const manifests = SERVICE_NAMES.map((service) => read('k8s', 'base', `${service}.yaml`));
    const set = [...manifests, read('k8s', 'base', 'kustomization.yaml')].flatMap(variablesIn);
    expect(set.length).toBeGreaterThan(SERVICE_NAMES.length);
    const unknown = set.filter(
      (name) => !documented.has(name) && !documented.has(name.replace(/_FILE$/, '')),
    );
    expect(unknown).toEqual([]);
  });

  it('give Prometheus the same alerts everywhere, each with a runbook', () => {
    const rules = read('docker', 'observability', 'alerts.yaml');
    const groups = (text: string) => text.slice(text.indexOf('groups:')).replace(/^ +/gm, '');
    expect(groups(read('k8s', 'components', 'monitoring', 'prometheus-rule.yaml'))).toBe(groups(rules));
    const names = [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name ?? '');
    expect(names.length).toBeGreaterThan(10);
    const runbooks = read('docs', 'operations', 'runbooks.md');
    for (const name of names) expect(runbooks).toContain(`\n## ${name}\n`);
  });

  it('scale by the lag of groups that exist, on topics that they read', () => {
    const file = read('k8s', 'components', 'keda', 'scaled-objects.yaml');
    const scaled = [...file.matchAll(/consumerGroup: (\S+)\n\s+topic: (\S+)/g)];
    expect(scaled.length).toBeGreaterThan(0);
    const sources = sourceTexts(['apps']);
    for (const [, group = '', topic = ''] of scaled) {
      expect(ALL_TOPICS.map(({ name }) => name)).toContain(topic);
      // A topic that is read in batches has the group `<service>.<topic>`; a subscription names its own.
      const isOfBatches = SERVICE_NAMES.some((service) => group === `${service}.${topic}`);
      expect(isOfBatches || sources.some((text) => text.includes(`group: '${group}'`))).toBe(true);
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
