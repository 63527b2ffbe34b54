import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { REPOSITORY_ROOT } from '@truetally/testing';
import { Linter } from 'eslint';

const { TEST_NAMES } = (await import(join(REPOSITORY_ROOT, 'eslint.test-names.mjs'))) as {
  readonly TEST_NAMES: readonly object[];
};

function faultsOf(code: string): number {
  return new Linter().verify(code, { rules: { 'no-restricted-syntax': ['error', ...TEST_NAMES] } }).length;
}

describe('the lint rule for names of tests', () => {
  it.each([
    `it('is refused', run)`,
    `it('Is, in short, refused', run)`,
    'it(`are ${some}`, run)',
    `it('that', run)`,
    `test.failing('and nothing changes', run)`,
    `it.each([1])('of %s', run)`,
    'it.each`a`("with a value", run)',
    `test.failing.each([1])('may end', run)`,
  ])('finds a name without a subject: %j', (code) => {
    expect(faultsOf(code)).toBe(1);
  });

  it.each([
    `it('a site is refused', run)`,
    `it('refuses a site', run)`,
    `it('in-flight requests end', run)`,
    `it('isolates tenants', run)`,
    'it(`${some} is refused`, run)',
    `it.each(['of'])('%s is refused', run)`,
    `describe('of a site', run)`,
    `emit('is refused', run)`,
  ])('takes any other: %j', (code) => {
    expect(faultsOf(code)).toBe(0);
  });
});
