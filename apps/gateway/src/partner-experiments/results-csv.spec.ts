import { describe, expect, it } from '@jest/globals';
import type { ArmResults, CoveredEstimate, ExperimentResults } from '@truetally/contracts/experiments';
import { resultsCsv } from './results-csv.js';

const MEAN: CoveredEstimate = {
  value: 5,
  standard_error: 0.5,
  confidence_interval: { level: 0.95, low: 4, high: 6 },
  skewness: 3,
  skewed: true,
  adjusted_interval: { level: 0.95, low: 4.5, high: 7, method: 'hall' },
  coverage: 1,
};
const UNKNOWN: CoveredEstimate = {
  ...MEAN,
  value: null,
  standard_error: null,
  confidence_interval: null,
  skewness: null,
  skewed: false,
  adjusted_interval: null,
  reason: 'no_commission_rule',
};
const ARM: ArmResults = {
  eligible_sessions: 1_000,
  converted_sessions: 100,
  conversion: {
    value: 0.1,
    standard_error: 0.009,
    confidence_interval: { level: 0.95, low: 0.08, high: 0.12 },
    skewed: false,
  },
  revenue_per_session: MEAN,
  gross_profit_per_session: { ...MEAN, adjusted_interval: null, reason: 'few_sessions' },
  partner_contribution_per_session: UNKNOWN,
};

function rowsOf(arm: ArmResults): readonly Readonly<Record<string, string>>[] {
  // Nothing else is in the file.
  const results = { arms: { control: arm, treatment: arm }, currency: 'EUR' } as ExperimentResults;
  const [header = [], ...rows] = resultsCsv(results)
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
  return rows.map((row) => Object.fromEntries(header.map((name, place) => [name, row[place] ?? 'missing'])));
}

describe('interface page, section 7: results.csv', () => {
  it('results.csv has one row per arm and measure, with its values and warnings', () => {
    const rows = rowsOf(ARM);
    expect(rows.map(({ arm, measure }) => `${arm} ${measure}`)).toHaveLength(8);
    expect(rows[1]).toEqual({
      arm: 'control',
      measure: 'revenue_per_session',
      eligible_sessions: '1000',
      converted_sessions: '100',
      value: '5',
      standard_error: '0.5',
      level: '0.95',
      low: '4',
      high: '6',
      skewness: '3',
      skewed: 'true',
      adjusted_low: '4.5',
      adjusted_high: '7',
      currency: 'EUR',
      reason: '',
    });
    expect(rows[0]).toMatchObject({ measure: 'conversion', low: '0.08', skewed: 'false', currency: '' });
  });

  it('results.csv has a reason in each row with an empty value, except for what conversion does not have', () => {
    for (const row of rowsOf(ARM)) {
      const computed = ['value', 'standard_error', 'level', 'low', 'high'];
      const ofMoney = ['skewness', 'adjusted_low', 'adjusted_high', 'currency'];
      const names = row['measure'] === 'conversion' ? computed : [...computed, ...ofMoney];
      const isComplete = names.every((name) => row[name] !== '');
      expect([row['measure'], isComplete]).toEqual([row['measure'], row['reason'] === '']);
    }
    expect(rowsOf(ARM).map(({ reason }) => reason)).toContain('no_commission_rule');
  });
});
