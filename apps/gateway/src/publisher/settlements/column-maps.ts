import type { IntegrationProvider } from '@truetally/contracts/management';
import {
  NETWORK_STATUSES,
  roundedAmount,
  SETTLEMENT_FIELDS,
  type SettlementField,
} from '@truetally/contracts/publisher';

/** Where a file has the values of a row, and what has to be done to them. */
export interface ColumnMap {
  /** Whether the file says when its network changed a row. */
  readonly isChangeTimed: boolean;
  /** Names of each field's column, as `headerName` writes them; the first that the file has counts. */
  readonly columns: Readonly<Record<SettlementField, readonly string[]>>;
  readonly optional: readonly SettlementField[];
  /** Where no column is given: what each row has instead. */
  readonly defaults?: Readonly<Partial<Record<SettlementField, string>>>;
  /** From a network's words to ours; undefined where they are ours already. */
  readonly statuses?: Readonly<Record<string, string>>;
}

/** The header row of a file's own field names (interface page, section 8). */
const GENERIC: ColumnMap = {
  isChangeTimed: true,
  columns: {
    provider_transaction_id: ['providertransactionid'],
    click_reference: ['clickreference'],
    order_reference: ['orderreference'],
    status: ['status'],
    commissionable_amount: ['commissionableamount'],
    commission_amount: ['commissionamount'],
    currency: ['currency'],
    transaction_at: ['transactionat'],
    updated_at: ['updatedat'],
  },
  optional: ['click_reference', 'order_reference'],
};

/** Awin's transaction export. It says when a sale was judged, and not when it was changed otherwise. */
const AWIN_EXPORT: ColumnMap = {
  isChangeTimed: false,
  columns: {
    provider_transaction_id: ['transactionid', 'id'],
    click_reference: ['clickref', 'clickreference'],
    order_reference: ['orderref', 'orderreference'],
    status: ['commissionstatus', 'transactionstatus', 'status'],
    commissionable_amount: ['saleamount', 'salevalue', 'transactionvalue'],
    commission_amount: ['commissionamount', 'commission'],
    currency: ['commissioncurrency', 'currency', 'salecurrency'],
    transaction_at: ['transactiondate', 'date'],
    updated_at: ['validationdate'],
  },
  optional: ['click_reference', 'order_reference', 'updated_at'],
  statuses: NETWORK_STATUSES.awin,
};

/** CJ's commission detail export, in dollars where it names no currency. */
const CJ_EXPORT: ColumnMap = {
  isChangeTimed: false,
  columns: {
    provider_transaction_id: ['commissionid', 'actionid'],
    click_reference: ['sid', 'shopperid'],
    order_reference: ['orderid'],
    status: ['actionstatus', 'status'],
    commissionable_amount: ['saleamountusd', 'saleamount'],
    commission_amount: ['pubcommissionamountusd', 'publishercommission', 'commissionamount', 'commission'],
    currency: ['currency', 'functionalcurrency'],
    transaction_at: ['eventdate'],
    updated_at: ['postingdate'],
  },
  optional: ['click_reference', 'order_reference', 'currency', 'updated_at'],
  defaults: { currency: 'USD' },
  statuses: NETWORK_STATUSES.cj,
};

const EXPORTS: Readonly<Record<IntegrationProvider, ColumnMap>> = { awin: AWIN_EXPORT, cj: CJ_EXPORT };

/** A header as it is compared: `Click Ref`, `click_ref` and `clickRef` are one. */
export function headerName(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** A file's columns by the field that each is of. */
export interface ChosenColumns {
  readonly map: ColumnMap;
  /** Index of each field's column; undefined where the file has none. */
  readonly indexes: readonly (number | undefined)[];
}

export type HeaderFaults = Readonly<Record<string, readonly string[]>>;

/** The map that a header fits: our own names, or those of the network's own export; otherwise what ours would lack. */
export function chooseColumns(
  header: readonly string[],
  provider: IntegrationProvider,
): ChosenColumns | { readonly faults: HeaderFaults } {
  const names = header.map(headerName);
  const repeated = names.find((name, index) => name !== '' && names.indexOf(name) !== index);
  if (repeated !== undefined) return { faults: { header: [`names the column ${repeated} twice`] } };
  for (const map of [GENERIC, EXPORTS[provider]]) {
    const indexes = indexesOf(map, names);
    if (missingOf(map, indexes).length === 0) return { map, indexes };
  }
  const missing = missingOf(GENERIC, indexesOf(GENERIC, names));
  return { faults: Object.fromEntries(missing.map((field) => [field, ['must be a column of the header']])) };
}

/** The values of a record in the order of `SETTLEMENT_FIELDS`. */
export function valuesOf({ map, indexes }: ChosenColumns, record: readonly string[]): readonly unknown[] {
  const at = (field: SettlementField): string | null => {
    const index = indexes[SETTLEMENT_FIELDS.indexOf(field)];
    const text = index === undefined ? undefined : record[index]?.trim();
    return text === undefined || text === '' ? (map.defaults?.[field] ?? null) : text;
  };
  if (map.statuses === undefined) return SETTLEMENT_FIELDS.map(at);
  const status = at('status')?.toLowerCase() ?? '';
  const exported: Record<SettlementField, unknown> = {
    provider_transaction_id: at('provider_transaction_id'),
    click_reference: at('click_reference'),
    order_reference: at('order_reference'),
    status: map.statuses[status] ?? status,
    commissionable_amount: roundedAmount(at('commissionable_amount'), at('currency')),
    commission_amount: roundedAmount(at('commission_amount'), at('currency')),
    currency: at('currency'),
    transaction_at: exportedTime(at('transaction_at')),
    updated_at: exportedTime(at('updated_at') ?? at('transaction_at')),
  };
  return SETTLEMENT_FIELDS.map((field) => exported[field]);
}

/** Exports write times in UTC, with a space and without an offset. */
function exportedTime(text: string | null): string | null {
  if (text === null) return null;
  const spaced = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)$/.exec(text);
  return spaced === null ? text : `${spaced[1]}T${spaced[2]}Z`;
}

function indexesOf(map: ColumnMap, names: readonly string[]): readonly (number | undefined)[] {
  return SETTLEMENT_FIELDS.map((field) => {
    const found = map.columns[field].map((name) => names.indexOf(name)).find((index) => index >= 0);
    return found;
  });
}

function missingOf(map: ColumnMap, indexes: readonly (number | undefined)[]): readonly SettlementField[] {
  return SETTLEMENT_FIELDS.filter(
    (field, index) => indexes[index] === undefined && !map.optional.includes(field),
  );
}
