import { describe, expect, it } from '@jest/globals';
import { SETTLEMENT_FIELDS } from '@truetally/contracts/publisher';
import { chooseColumns, valuesOf } from './column-maps.js';

/** A header and one line of it, read as a row. */
function read(provider: 'awin' | 'cj', header: string, line: string): Record<string, unknown> {
  const chosen = chooseColumns(header.split(','), provider);
  if ('faults' in chosen) throw new Error(JSON.stringify(chosen.faults));
  const values = valuesOf(chosen, line.split(','));
  return Object.fromEntries(SETTLEMENT_FIELDS.map((field, index) => [field, values[index]]));
}

function lacks(provider: 'awin' | 'cj', header: string): readonly string[] {
  const chosen = chooseColumns(header.split(','), provider);
  return 'faults' in chosen ? Object.keys(chosen.faults) : [];
}

describe('known headers', () => {
  it('our own names', () => {
    const row = read(
      'awin',
      SETTLEMENT_FIELDS.join(','),
      't-1,ref,order,pending,10.00,1.00,EUR,2026-03-10T12:00:00Z,2026-03-11T12:00:00Z',
    );
    expect(Object.values(row)).toEqual([
      't-1',
      'ref',
      'order',
      'pending',
      '10.00',
      '1.00',
      'EUR',
      '2026-03-10T12:00:00Z',
      '2026-03-11T12:00:00Z',
    ]);
  });

  describe('Awin', () => {
    const DOWNLOAD =
      'id,publisher_id,sale_amount,commission,currency,date,commission_status,validation_date,extra,type,site_name,URL,decline_reason,click_ref';

    it.each([
      ['0', 'pending'],
      ['1', 'approved'],
      ['2', 'declined'],
      ['approved', 'approved'],
      ['Deleted', 'reversed'],
    ])('its download of the transactions report, whose state is %s', (told, status) => {
      const line = `259,45,55.96,5.59,GBP,2026-03-10 12:00:00,${told},2026-03-20 00:00:00,order-1,Sale,Shop,x,,ref-1`;
      expect(read('awin', DOWNLOAD, line)).toEqual({
        provider_transaction_id: '259',
        click_reference: 'ref-1',
        order_reference: 'order-1',
        status,
        commissionable_amount: '55.96',
        commission_amount: '5.59',
        currency: 'GBP',
        transaction_at: '2026-03-10T12:00:00Z',
        updated_at: '2026-03-20T00:00:00Z',
      });
    });

    it('the names of its interface', () => {
      const header =
        'Transaction ID,Commission Status,Commission Amount,Commission Currency,Sale Amount,Sale Currency,Click Ref,Order Ref,Transaction Date,Validation Date';
      const line = '7,pending,5.595,GBP,55.96,GBP,ref,order,2026-03-10T12:00:00,';
      expect(read('awin', header, line)).toMatchObject({
        provider_transaction_id: '7',
        status: 'pending',
        commission_amount: '5.60',
        currency: 'GBP',
        updated_at: '2026-03-10T12:00:00Z',
      });
      const abroad = '7,pending,5.59,GBP,55.96,USD,ref,order,2026-03-10T12:00:00,';
      expect(read('awin', header, abroad)).toMatchObject({
        commissionable_amount: null,
        commission_amount: '5.59',
      });
    });

    it('the header is refused without a currency, with the columns that the nearest map lacks', () => {
      expect(lacks('awin', 'id,sale_amount,commission,date,commission_status,validation_date,extra')).toEqual(
        ['currency'],
      );
    });
  });

  describe('CJ', () => {
    const DETAILS =
      'actionStatus,commissionId,eventDate,orderId,original,postingDate,pubCommissionAmountUsd,saleAmountUsd,shopperId,validationStatus';
    const TIMES = ['2026-03-10T12:00:00Z', '2026-03-11T12:00:00Z'] as const;
    const line = (status: string, original: string, commission: string, validation = 'PENDING'): string =>
      `${status},9,${TIMES[0]},order,${original},${TIMES[1]},${commission},-100.005,sid-1,${validation}`;

    it.each([
      ['new', 'pending'],
      ['extended', 'pending'],
      ['locked', 'approved'],
      ['closed', 'approved'],
    ])('commission details, whose state is %s', (told, status) => {
      const sale = line(told, 'true', '7.785').replace('-100.005', '100.00');
      expect(read('cj', DETAILS, sale)).toEqual({
        provider_transaction_id: '9',
        click_reference: 'sid-1',
        order_reference: 'order',
        status,
        commissionable_amount: '100.00',
        commission_amount: '7.78',
        currency: 'USD',
        transaction_at: TIMES[0],
        updated_at: TIMES[1],
      });
    });

    it.each([
      ['0', '7.78'],
      ['false', '-7.78'],
      ['1', '-7.78'],
    ])(
      'a correction (original %s, %s) is a reversal of its own, as when it is pulled',
      (original, amount) => {
        expect(read('cj', DETAILS, line('locked', original, amount))).toMatchObject({
          status: 'reversed',
          commission_amount: '7.78',
          commissionable_amount: '100.00',
        });
      },
    );

    it('transactions that the advertiser declined', () => {
      expect(read('cj', DETAILS, line('new', '1', '0.00', 'DECLINED'))).toMatchObject({ status: 'declined' });
    });

    it('amounts in another currency are of the one that the file names, and never taken for dollars', () => {
      const header = 'commission-id,sid,order-id,action-status,sale-amount,commission-amount,event-date';
      expect(lacks('cj', header)).toEqual(['currency']);
      const sold = read('cj', `${header},currency`, `9,sid-1,order,new,100.00,7.00,${TIMES[0]},EUR`);
      expect(sold).toMatchObject({ currency: 'EUR', commission_amount: '7.00', updated_at: TIMES[0] });
      const both = read('cj', `${DETAILS},currency`, `${line('new', '1', '7.00')},EUR`);
      expect(both).toMatchObject({ currency: 'USD' });
    });
  });

  it('an unknown header is refused with the columns that our own format lacks', () => {
    const required = SETTLEMENT_FIELDS.filter((field) => !field.endsWith('_reference'));
    expect(lacks('awin', 'a,b')).toEqual(required);
    expect(lacks('cj', required.filter((field) => field !== 'status').join(','))).toEqual(['status']);
  });

  it('a column that is named twice is refused', () => {
    expect(lacks('awin', 'Click Ref,click_ref')).toEqual(['header']);
  });
});
