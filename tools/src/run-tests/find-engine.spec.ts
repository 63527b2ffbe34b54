import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { findEngine, withoutEngine } from './find-engine.js';

const root = mkdtempSync(join(tmpdir(), 'truetally-engine-'));
afterAll(() => rmSync(root, { recursive: true }));

describe("ClickHouse's engine of a test run", () => {
  it("ClickHouse's engine is found where it is installed", () => {
    expect(findEngine(root)).toBeUndefined();
    const engine = join(root, 'tools', 'clickhouse-engine', 'node_modules', 'chdb');
    mkdirSync(engine, { recursive: true });
    expect(findEngine(root)).toBe(engine);
  });

  it("a run without ClickHouse's engine says how many files it left out, and how to install it", () => {
    expect(withoutEngine()).toMatch(
      /^ClickHouse tests did not run: [1-9]\d* files, no engine found; install it /,
    );
  });
});
