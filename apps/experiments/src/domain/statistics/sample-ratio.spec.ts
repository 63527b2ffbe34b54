import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sampleRatio, sampleRatioOfPart } from './sample-ratio.js';

const EVEN = { control: 0.5, treatment: 0.5 };
const TENTH = { control: 0.1, treatment: 0.9 };

/** The likelihood ratio of the mixture, as a product over sessions in any order (Pólya's urn). */
function evidenceOf(control: number, treatment: number, { control: planned }: typeof EVEN): number {
  let [product, inControl, inTreatment] = [1, 100 * planned, 100 * (1 - planned)];
  for (let session = 0; session < control + treatment; session += 1) {
    const isControl = session < control;
    const drawn = (isControl ? inControl : inTreatment) / (inControl + inTreatment);
    product *= drawn / (isControl ? planned : 1 - planned);
    if (isControl) inControl += 1;
    else inTreatment += 1;
  }
  return product;
}

describe('the always-valid p-value of a sample ratio', () => {
  it('the always-valid p-value is the inverse of the likelihood ratio, a product over sessions', () => {
    const counts = fc.integer({ min: 0, max: 80 });
    fc.assert(
      fc.property(counts, counts, fc.constantFrom(EVEN, TENTH), (control, treatment, allocation) => {
        if (control + treatment === 0) return;
        const { always_valid_p_value } = sampleRatio({ control, treatment }, allocation);
        const expected = Math.min(1, 1 / evidenceOf(control, treatment, allocation));
        expect((always_valid_p_value ?? NaN) / expected).toBeCloseTo(1, 8);
      }),
    );
  });

  it('the always-valid p-value is above that of Pearson, and falls with the mismatch', () => {
    const of = (control: number) => sampleRatio({ control, treatment: 10_000 - control }, EVEN);
    for (const control of [5_000, 5_100, 5_200, 5_300]) {
      const { p_value, always_valid_p_value } = of(control);
      expect(always_valid_p_value).toBeGreaterThanOrEqual(p_value ?? NaN);
    }
    expect(of(5_300).always_valid_p_value).toBeLessThan(of(5_200).always_valid_p_value ?? NaN);
    expect(of(5_000).always_valid_p_value).toBe(1);
  });

  it('the always-valid p-value is null with a reason where there is no test', () => {
    expect(sampleRatio({ control: 0, treatment: 0 }, EVEN)).toMatchObject({
      always_valid_p_value: null,
      chi_square: null,
      p_value: null,
      reason: 'no_sessions',
    });
  });
});

describe('the sample ratio of a part', () => {
  it('the sample ratio of a part is a mismatch by its p-value times the number of parts', () => {
    const observed = { control: 150, treatment: 280 };
    const alone = sampleRatioOfPart(observed, EVEN, 1);
    expect(alone.state).toBe('mismatch');
    const pValue = alone.always_valid_p_value ?? NaN;
    expect(sampleRatioOfPart(observed, EVEN, Math.ceil(0.001 / pValue) - 1).state).toBe('mismatch');
    expect(sampleRatioOfPart(observed, EVEN, Math.ceil(0.001 / pValue) + 1)).toMatchObject({
      state: 'ok',
      chi_square: alone.chi_square,
      p_value: alone.p_value,
    });
    expect(sampleRatioOfPart(observed, EVEN, 1e9).always_valid_p_value).toBe(1);
  });

  it('the sample ratio of a part is not judged below 100 sessions, however uneven', () => {
    const { state, always_valid_p_value } = sampleRatioOfPart({ control: 0, treatment: 99 }, EVEN, 2);
    expect(state).toBe('insufficient');
    expect(always_valid_p_value).toBeLessThan(0.001);
    expect(sampleRatioOfPart({ control: 0, treatment: 100 }, EVEN, 2).state).toBe('mismatch');
  });

  it('any session in an arm of weight zero is a mismatch by itself', () => {
    const one = sampleRatioOfPart({ control: 500, treatment: 1 }, { control: 1, treatment: 0 }, 50);
    expect(one).toMatchObject({ state: 'mismatch', reason: 'session_in_arm_of_weight_zero' });
  });
});
