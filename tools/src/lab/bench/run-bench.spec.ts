import { describe, expect, it } from '@jest/globals';
import { AREAS } from './areas.js';
import { chosenBy } from './run-bench.js';

const titlesOf = (...parameters: string[]): readonly string[] =>
  chosenBy(parameters).chosen.map(({ title }) => title);

describe('the options of the benchmark', () => {
  it('the main job and the ledger are measured where no option names an area', () => {
    expect(titlesOf()).toEqual(['the main job', 'the attribution ledger']);
    expect(chosenBy(['--quick'])).toMatchObject({ isQuick: true });
  });

  it('several areas are measured in the order of the table', () => {
    expect(titlesOf('--bodies', '--management', '--events')).toEqual([
      'the main job',
      'management',
      'reading bodies',
    ]);
  });

  it.each(Object.entries(AREAS))('an option of its own chooses the area %s', (name, { title, count }) => {
    expect(titlesOf(`--${name}`, ...(count === 'needed' ? ['7'] : []))).toEqual([title]);
  });

  it('an area gets the number of its option, or its default', () => {
    const numberOf = (...parameters: string[]): unknown => chosenBy(parameters).chosen[0]?.number;
    expect(numberOf('--soak', '30')).toBe(30);
    expect(numberOf('--publisher')).toBe(2_000_000);
    expect(numberOf('--publisher', '50000000')).toBe(50_000_000);
  });

  it.each([
    [['--soak', 'long'], /--soak takes a whole number/],
    [['--erasure', '0'], /--erasure takes a whole number/],
    [['--publisher', '1.5'], /--publisher takes a whole number/],
    [['--ledger', '7'], /Only --publisher and --reports take a number/],
    [['--publisher', '1', '2'], /Only --publisher and --reports take a number/],
    [['--unknown'], /Unknown option/],
  ])('an option that means nothing is refused: %j', (parameters, message) => {
    expect(() => chosenBy(parameters)).toThrow(message);
  });
});
