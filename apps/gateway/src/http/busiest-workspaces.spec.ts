import { describe, expect, it } from '@jest/globals';
import { BusiestWorkspaces } from './answers.js';

const MINUTE_MS = 60_000;

describe('the busiest workspaces', () => {
  it('the busiest workspaces are those of the last whole minute, with their cost', () => {
    let nowMs = 0;
    const busiest = new BusiestWorkspaces(() => nowMs);
    busiest.add('small', 1);
    busiest.add('large', 50);
    busiest.add('small', 2);
    expect(busiest.read()).toEqual([]);
    nowMs += MINUTE_MS;
    expect(busiest.read()).toEqual([
      ['large', 50],
      ['small', 3],
    ]);
    nowMs += 2 * MINUTE_MS;
    expect(busiest.read()).toEqual([]);
  });

  it('never more than twenty are named, and none is lost from the sum', () => {
    let nowMs = 0;
    const busiest = new BusiestWorkspaces(() => nowMs);
    const workspaces = 12_000;
    for (let index = 0; index < workspaces; index += 1) busiest.add(`workspace-${index}`, 1);
    nowMs += MINUTE_MS;
    const rows = busiest.read();
    expect(rows).toHaveLength(21);
    expect(rows.at(-1)?.[0]).toBe('others');
    expect(rows.reduce((sum, [, cost]) => sum + cost, 0)).toBe(workspaces);
  });
});
