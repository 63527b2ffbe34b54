import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { SERVICE_NAMES } from '@truetally/contracts/services';
import { REPOSITORY_ROOT } from '@truetally/testing';

function read(...path: readonly string[]): string {
  return readFileSync(join(REPOSITORY_ROOT, ...path), 'utf8');
}

/** Names in capital letters that a manifest sets: `- NAME=…`, `NAME: …` or `name: NAME`. */
function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(/^\s*(?:- )?(?:\{ name: |name: )?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?=[:=,]|$)/gm)]
    .map(([, name]) => name ?? '')
    .filter((name) => !/^(POSTGRES|GF|KAFKA_(?!BROKERS|TOPIC_PREFIX|REQUIRE|TLS|SASL))/.test(name));
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

  it('set only variables that the README names, or the same in a file', () => {
    const documented = new Set(
      read('README.md')
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
});
