import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { REPOSITORY_ROOT } from '@truetally/testing';

const require = createRequire(import.meta.url);

/** The product uses private parts of these packages, so that any other version may break it. */
const PINNED = [
  // Single files below `cjs/`: libs/contracts, decorators.ts and compile-fields.ts.
  'class-validator',
  // Inner functions that are replaced: libs/messaging, driver-speed.
  'kafkajs',
  // Messages of the protocol: libs/persistence, pipelined-begin.ts, and apps/ingestion, copy-in.ts.
  'pg',
] as const;

interface Manifest {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

describe.each(PINNED)('the version of %s', (name) => {
  it('the version of a pinned package is exact, and the installed one, wherever it is named', () => {
    const installed = manifest(join('node_modules', name)).version;
    const named = workspaces().flatMap((folder) => {
      const version = manifest(folder).dependencies?.[name];
      return version === undefined ? [] : [{ folder, version }];
    });
    expect(named.length).toBeGreaterThan(0);
    expect(named).toEqual(named.map(({ folder }) => ({ folder, version: installed })));
  });
});

describe('the private parts', () => {
  it.each([
    ['decorator/common/IsOptional.js', 'IsOptional'],
    ['decorator/common/ValidateBy.js', 'ValidateBy'],
    ['decorator/common/ValidateNested.js', 'ValidateNested'],
    ['metadata/MetadataStorage.js', 'getMetadataStorage'],
  ])('class-validator: %s has the public %s', (file, member) => {
    const whole = require('class-validator') as Record<string, unknown>;
    const part = require(`class-validator/cjs/${file}`) as Record<string, unknown>;
    expect(part[member]).toBeInstanceOf(Function);
    expect(part[member]).toBe(whole[member]);
  });

  it('pg: a query submits itself, and a connection writes single messages', () => {
    const { Connection, Query } = require('pg') as Record<'Connection' | 'Query', { prototype: object }>;
    expect(Query.prototype).toHaveProperty('submit', expect.any(Function));
    for (const message of ['parse', 'bind', 'execute', 'sync']) {
      expect(Connection.prototype).toHaveProperty(message, expect.any(Function));
    }
  });
});

function workspaces(): readonly string[] {
  const inFolder = (folder: string): string[] =>
    readdirSync(join(REPOSITORY_ROOT, folder)).map((name) => join(folder, name));
  return [...inFolder('libs'), ...inFolder('apps'), 'tools'];
}

function manifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(REPOSITORY_ROOT, folder, 'package.json'), 'utf8')) as Manifest;
}
