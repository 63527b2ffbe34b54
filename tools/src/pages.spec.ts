import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { SERVICE_NAMES, SERVICES } from '@truetally/contracts/services';
import { REPOSITORY_ROOT } from '@truetally/testing';
import { operationsPortOf, readStackConfiguration } from './stack/configuration.js';

const METHODS: readonly string[] = ['get', 'post', 'put', 'patch', 'delete'];

function page(path: string): string {
  return readFileSync(join(REPOSITORY_ROOT, path), 'utf8');
}

/** The row of a table whose first cell is this name. */
function rowOf(text: string, name: string): string {
  return text.split('\n').find((line) => line.startsWith(`| \`${name}\` |`)) ?? '';
}

describe('docs/architecture.md', () => {
  const text = page('docs/architecture.md');

  it.each(SERVICES)('lists the facts of $name, and no others', ({ name, facts }) => {
    const cells = rowOf(text, name).split('|');
    const listed = [...(cells.at(-2) ?? '').matchAll(/`([a-z-]+(?:\.[a-z-]+)*\.v\d+)`/g)].map(
      ([, topic]) => topic,
    );
    const shared = ['audit.recorded.v1', 'dead-letters.v1'];
    const published = Object.values(facts)
      .map((topic) => topic.name)
      .filter((topic) => !shared.includes(topic));
    expect(listed.sort()).toEqual(published.sort());
  });
});

describe('docs/configuration.md', () => {
  it('names every variable that a service reads', () => {
    const text = page('docs/configuration.md');
    const files = [
      ...readdirSync(join(REPOSITORY_ROOT, 'apps')).map((app) => `apps/${app}/src/config.ts`),
      'apps/management/src/outbound/config.ts',
      ...readdirSync(join(REPOSITORY_ROOT, 'libs/platform/src'))
        .filter((name) => name.endsWith('-settings.ts'))
        .map((name) => `libs/platform/src/${name}`),
    ];
    const read = files.flatMap((file) =>
      [...page(file).matchAll(/^ +([A-Z][A-Z0-9_]+): [a-z]/gm)].map(([, name = '']) => name),
    );
    expect(read.length).toBeGreaterThan(30);
    expect([...new Set(read)].filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });

  it('names every port of the local stack, with its default', () => {
    const { ports, operationsPorts } = readStackConfiguration([], {});
    const defaults = [
      ...Object.entries(ports),
      ...SERVICE_NAMES.map((name) => [operationsPortOf(name), operationsPorts[name]] as const),
    ];
    const text = page('docs/configuration.md');
    expect(defaults.filter(([name, port]) => !text.includes(`\`${name}\` (${port})`))).toEqual([]);
  });
});

describe('docs/http-interface.md', () => {
  it('lists every route of the OpenAPI document, and no other', () => {
    const { paths } = JSON.parse(page('docs/openapi.json')) as { paths: Record<string, object> };
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((key) => METHODS.includes(key))
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    const section = page('docs/http-interface.md').split('\n## 13. Routes\n')[1] ?? '';
    const listed = [...section.matchAll(/^\| `(\/[^`]+)` +\| ([A-Z, ]+?) +\|$/gm)].flatMap(
      ([, path = '', methods = '']) => methods.split(', ').map((method) => `${method} ${path}`),
    );
    expect(listed.length).toBeGreaterThan(90);
    expect(listed.toSorted()).toEqual(described.toSorted());
  });
});

describe('pages', () => {
  it('pages link only to files and headings that exist', () => {
    const pages = ['docs', 'examples', 'libs/browser-sdk', 'libs/node-sdk', 'libs/worker'].flatMap((folder) =>
      readdirSync(join(REPOSITORY_ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
        .map((name) => join(folder, name)),
    );
    const links = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...pages].flatMap((from) =>
      [...page(from).matchAll(/\]\((?!https?:|mailto:)([^()\s#]*)#?([^()\s]*)\)/g)].map(
        ([, path = '', heading = '']) => ({ from, to: path && join(dirname(from), path), heading }),
      ),
    );
    expect(links.length).toBeGreaterThan(300);
    const isThere = ({ from, to, heading }: (typeof links)[number]): boolean =>
      existsSync(join(REPOSITORY_ROOT, to)) && (heading === '' || headingsOf(to || from).includes(heading));
    expect(links.filter((link) => !isThere(link))).toEqual([]);
  });
});

describe('README.md', () => {
  it('README.md is at most 6 KB long, and links only to files that exist', () => {
    const text = page('README.md');
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(6 * 1024);
    const links = [...text.matchAll(/\]\(([^)#:]+)\)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((link) => !existsSync(join(REPOSITORY_ROOT, link)))).toEqual([]);
  });
});

describe('pages that name tests', () => {
  it('docs/reliability.md names only files that exist', () => {
    const named = filesNamedIn('docs/reliability.md', /`((?:apps|libs|tools)\/[^`*]+\.ts)`/g);
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter((path) => !existsSync(join(REPOSITORY_ROOT, path)))).toEqual([]);
  });

  it('docs/limits.md names only files that exist', () => {
    const named = filesNamedIn('docs/limits.md', /`([a-z-]+\/[^`]+spec\.ts)`/g).map((path) =>
      /^(apps|libs)\//.test(path) ? path : `apps/gateway/src/${path}`,
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((path) => !existsSync(join(REPOSITORY_ROOT, path)))).toEqual([]);
  });

  it('docs/decisions/publisher.md names tests that exist', () => {
    const sentences = page('docs/decisions/publisher.md').split('## Section 8')[1]?.split('\n## ')[0] ?? '';
    const named = [...sentences.matchAll(/ _([^_…]+)_/g)].map(([, name = '']) => name);
    const suites = [
      ...filesBelow('apps/gateway/src/testing/publisher'),
      ...filesBelow('apps/publisher-analytics/src/storage'),
      'tools/src/testing/click-references-suite.ts',
    ].map(page);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !suites.some((text) => text.includes(name)))).toEqual([]);
  });
});

/** As the names by which links know them. */
function headingsOf(path: string): readonly string[] {
  return [...page(path).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
    text
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function filesNamedIn(path: string, pattern: RegExp): readonly string[] {
  return [...page(path).matchAll(pattern)].map(([, file = '']) => file);
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(REPOSITORY_ROOT, folder))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`);
}
