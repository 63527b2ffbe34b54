import { describe, expect, it } from '@jest/globals';
import { inPieces } from './in-pieces.js';

const upTo = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);

async function piecesOf(all: readonly number[], isHurried = false): Promise<readonly (readonly number[])[]> {
  const pieces: (readonly number[])[] = [];
  await inPieces(all, { size: 200, isHurried }, (piece) => void pieces.push(piece));
  return pieces;
}

describe('inPieces', () => {
  it('a fold in pieces does each thing once, in order', async () => {
    const pieces = await piecesOf(upTo(1_001));
    expect(pieces.map(({ length }) => length)).toEqual([200, 200, 200, 200, 200, 1]);
    expect(pieces.flat()).toEqual(upTo(1_001));
  });

  it('a fold in pieces lets others have their turn between two of them', async () => {
    const seen: string[] = [];
    setImmediate(() => seen.push('other'));
    await inPieces(
      upTo(300),
      { size: 200, isHurried: false },
      ({ length }) => void seen.push(`piece of ${length}`),
    );
    expect(seen).toEqual(['piece of 200', 'other', 'piece of 100']);
  });

  it('a fold that is behind rests nowhere, nor does one with little', async () => {
    expect(await piecesOf(upTo(3_000), true)).toEqual([upTo(3_000)]);
    expect(await piecesOf(upTo(200))).toEqual([upTo(200)]);
    expect(await piecesOf([])).toEqual([]);
    expect(await piecesOf([], true)).toEqual([]);
  });
});
