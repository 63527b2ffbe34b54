import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { orphanedPlaces } from './account.js';

describe('orphanedPlaces', () => {
  let open: string;

  beforeEach(() => {
    open = mkdtempSync(join(tmpdir(), 'truetally-open-'));
  });

  afterEach(() => rmSync(open, { recursive: true, force: true }));

  function place(name: string, origin?: string): string {
    const folder = join(open, name);
    mkdirSync(folder);
    if (origin !== undefined) writeFileSync(join(folder, 'origin'), origin);
    return folder;
  }

  it('an orphaned place is one that replaces a deleted folder', () => {
    place('data-used', join(open, 'postgres'));
    const orphan = place('data-left', join(open, 'gone', 'postgres'));
    expect(orphanedPlaces(open)).toEqual([orphan]);
  });

  it('places that another start is just making are not orphaned', () => {
    place('data-new');
    expect(orphanedPlaces(open)).toEqual([]);
  });
});
