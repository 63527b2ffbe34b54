import { describe, expect, it } from '@jest/globals';
import { type RawRow, readSettlementRow } from './read-settlement-row.js';

const NOW_MS = Date.UTC(2026, 2, 20, 12);
const ROW: RawRow = {
  provider_transaction_id: 't-1',
  click_reference: 'reference',
  order_reference: 'order',
  status: 'approved',
  commissionable_amount: '100.50',
  commission_amount: '5.25',
  currency: 'EUR',
  transaction_at: '2026-03-10T12:00:00+01:00',
  updated_at: '2026-03-11T12:00:00.123456Z',
};
const errorsOf = (fields: RawRow): unknown => {
  const read = readSettlementRow({ ...ROW, ...fields }, NOW_MS);
  return read.ok ? {} : read.error;
};
const valueOf = (fields: RawRow, isChangeTimed?: boolean) => {
  const read = readSettlementRow({ ...ROW, ...fields }, NOW_MS, isChangeTimed);
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return read.value;
};

describe('a row of a settlement', () => {
  it('a row of a settlement is read with exact amounts and times to the microsecond', () => {
    expect(valueOf({})).toEqual({
      providerTransactionId: 't-1',
      clickReference: 'reference',
      orderReference: 'order',
      status: 'approved',
      currency: 'EUR',
      commissionable: 10_050n,
      commission: 525n,
      transactionAt: '2026-03-10T11:00:00.000000Z',
      updatedAt: '2026-03-11T12:00:00.123456Z',
      isChangeTimed: true,
    });
    expect(valueOf({}, false).isChangeTimed).toBe(false);
  });

  it('white space at the ends of a row’s values does not count', () => {
    const padded = Object.fromEntries(
      Object.entries(ROW).map(([field, value]) => [field, ` ${String(value)}\t`]),
    );
    expect(valueOf(padded)).toEqual(valueOf({}));
    expect(valueOf({ click_reference: ' ' }).clickReference).toBeNull();
    expect(errorsOf({ provider_transaction_id: ' ', commission_amount: ' 1,5 ' })).toEqual({
      provider_transaction_id: ['is required'],
      commission_amount: [expect.stringContaining('decimal comma')],
    });
  });

  it.each([[undefined], [null], ['']])('a row of a settlement has no reference where it is %j', (absent) => {
    const fields = { click_reference: absent, order_reference: absent };
    expect(valueOf(fields)).toMatchObject({ clickReference: null, orderReference: null });
  });

  it('a row of a settlement has whole numbers as identifiers, too', () => {
    const numbers = { provider_transaction_id: 7, click_reference: 8, order_reference: 9 };
    const expected = { providerTransactionId: '7', clickReference: '8', orderReference: '9' };
    expect(valueOf(numbers)).toMatchObject(expected);
    const text = ['must be a text'];
    expect(errorsOf({ provider_transaction_id: 1.5, click_reference: 2.5 })).toEqual({
      provider_transaction_id: text,
      click_reference: text,
    });
  });

  it.each([
    ['provider_transaction_id', 256],
    ['click_reference', 1_024],
    ['order_reference', 256],
  ] as const)(
    'a row of a settlement has a %s of at most %i characters, each of which may take two units',
    (field, most) => {
      expect(errorsOf({ [field]: '🙂'.repeat(most) })).toEqual({});
      const tooLong = { [field]: [`must be at most ${most} characters`] };
      expect(errorsOf({ [field]: '🙂'.repeat(most + 1) })).toEqual(tooLong);
      expect(errorsOf({ [field]: 'x'.repeat(most + 1) })).toEqual(tooLong);
    },
  );

  it.each(['a\0', '\ud800'])('a row of a settlement has no text that cannot be stored: %j', (text) => {
    expect(errorsOf({ click_reference: text })).toEqual({
      click_reference: ['must not hold U+0000 or a lone surrogate'],
    });
  });

  it.each([
    ['JPY', '100', 100n],
    ['EUR', '0', 0n],
    ['EUR', 12.5, 1_250n],
    ['KWD', '1.234', 1_234n],
    ['EUR', '92233720368547758.07', 9_223_372_036_854_775_807n],
  ])('a row of a settlement in %s has the amount %s as %s minor units', (currency, amount, minor) => {
    const amounts = { currency, commission_amount: amount, commissionable_amount: '1' };
    expect(valueOf(amounts).commission).toBe(minor);
  });

  it.each([
    [null, 'is required'],
    ['', 'is required'],
    ['1,5', expect.stringContaining('decimal comma')],
    ['1.500,00', expect.stringContaining('decimal comma')],
    ['-1 500,00', expect.stringContaining('decimal comma')],
    ['1,5,x', expect.stringContaining('plain decimal')],
    ['x', expect.stringContaining('plain decimal')],
    [true, expect.stringContaining('plain decimal')],
    ['-0.01', 'must be at least 0'],
    ['1.001', 'must have at most 2 decimals in EUR'],
    ['92233720368547758.08', 'must be at most 2^63 - 1 minor units'],
  ])('a row of a settlement is refused for the amount %j: %s', (amount, message) => {
    expect(errorsOf({ commission_amount: amount })).toEqual({ commission_amount: [message] });
    expect(errorsOf({ commissionable_amount: amount })).toEqual({ commissionable_amount: [message] });
  });

  it.each(['eur', 'XXX', 'EURO', 978, null])(
    'a row of a settlement is refused for the currency %j alone',
    (currency) => {
      expect(errorsOf({ currency })).toEqual({ currency: [expect.stringContaining('ISO 4217')] });
    },
  );

  it.each([
    [undefined, 'is required'],
    ['', 'is required'],
    ['2026-03-10', expect.stringContaining('ISO 8601')],
    ['2026-03-10T12:00:00', expect.stringContaining('ISO 8601')],
    [1_773_000_000_000, expect.stringContaining('ISO 8601')],
    ['2026-03-21T12:00:00.001Z', expect.stringContaining('24 hours ahead')],
  ])('a row of a settlement is refused for the time %j: %s', (time, message) => {
    expect(errorsOf({ transaction_at: time, updated_at: time })).toEqual({
      transaction_at: [message],
      updated_at: [message],
    });
  });

  it('the time of a settlement may be up to a day ahead', () => {
    expect(errorsOf({ updated_at: '2026-03-21T12:00:00Z' })).toEqual({});
  });

  it('names every field that is wrong, once', () => {
    const messages = errorsOf({
      provider_transaction_id: '',
      status: 'paid',
      currency: 'x',
      updated_at: 'x',
    });
    expect(Object.keys(messages as object).sort()).toEqual([
      'currency',
      'provider_transaction_id',
      'status',
      'updated_at',
    ]);
    expect(Object.keys(readSettlementRowOfNothing())).toHaveLength(7);
  });
});

function readSettlementRowOfNothing(): object {
  const read = readSettlementRow({}, NOW_MS);
  return read.ok ? {} : read.error;
}
