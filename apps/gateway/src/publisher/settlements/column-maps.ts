import type { NetworkProvider } from '@truetally/contracts/management';
import {
  NETWORK_STATUSES,
  roundedAmount,
  SETTLEMENT_FIELDS,
  type SettlementField,
} from '@truetally/contracts/publisher';

/** How a file's columns map to a row's values. */
export interface ColumnMap {
  /** Whether the file contains the time at which its network changed a row. */
  readonly isChangeTimed: boolean;
  /** Column names per field, normalised by `headerName`; the first one in the file counts. */
  readonly columns: Readonly<Record<SettlementField, readonly string[]>>;
  readonly optional: readonly SettlementField[];
  /** Values of fields without a column. */
  readonly defaults?: Readonly<Partial<Record<SettlementField, string>>>;
  /** Maps a network's statuses to ours; undefined where they are ours already. */
  readonly statuses?: Readonly<Record<string, string>>;
  /** Optional columns with further information about a row. */
  readonly hints?: Readonly<Partial<Record<Hint, readonly string[]>>>;
}

/**
 * - `original`: no, for a row that reverses another one
 * - `validation`: the advertiser's decision about the sale
 * - `saleCurrency`: currency of the sale's amount, if it may differ from the commission's
 */
type Hint = 'original' | 'saleCurrency' | 'validation';

/** Our own header row (interface page, section 8). */
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

/**
 * Awin's download of its transactions report, and the same with the names of its API (docs/networks.md). It
 * contains the time of validation, but not of other changes.
 */
const AWIN_EXPORT: ColumnMap = {
  isChangeTimed: false,
  columns: {
    provider_transaction_id: ['transactionid', 'id'],
    click_reference: ['clickref', 'clickreference'],
    order_reference: ['orderref', 'orderreference', 'extra'],
    status: ['commissionstatus', 'transactionstatus', 'status'],
    commissionable_amount: ['saleamount', 'salevalue', 'transactionvalue'],
    commission_amount: ['commissionamount', 'commission'],
    currency: ['commissioncurrency', 'currency', 'salecurrency'],
    transaction_at: ['transactiondate', 'date'],
    updated_at: ['validationdate'],
  },
  optional: ['click_reference', 'order_reference', 'updated_at'],
  // The download numbers its states.
  statuses: { ...NETWORK_STATUSES.awin, '0': 'pending', '1': 'approved', '2': 'declined' },
  hints: { saleCurrency: ['salecurrency'] },
};

/** CJ's commission details with the names of its API, with amounts in a currency that the file names. */
const CJ_EXPORT: ColumnMap = {
  isChangeTimed: false,
  columns: {
    provider_transaction_id: ['commissionid'],
    click_reference: ['shopperid', 'sid'],
    order_reference: ['orderid'],
    status: ['actionstatus', 'status'],
    commissionable_amount: ['saleamount', 'saleamountpubcurrency'],
    commission_amount: [
      'pubcommissionamountpubcurrency',
      'publishercommission',
      'pubcommissionamount',
      'commissionamount',
      'commission',
    ],
    currency: ['currency', 'functionalcurrency'],
    transaction_at: ['eventdate'],
    updated_at: ['postingdate'],
  },
  optional: ['click_reference', 'order_reference', 'updated_at'],
  statuses: NETWORK_STATUSES.cj,
  hints: { original: ['original'], validation: ['validationstatus'] },
};

/** The same with CJ's amounts in US dollars: whatever other currencies the file names, these are USD. */
const CJ_DOLLARS: ColumnMap = {
  ...CJ_EXPORT,
  columns: {
    ...CJ_EXPORT.columns,
    commissionable_amount: ['saleamountusd'],
    commission_amount: ['pubcommissionamountusd', 'publishercommissionusd', 'commissionamountusd'],
    currency: [],
  },
  optional: [...CJ_EXPORT.optional, 'currency'],
  defaults: { currency: 'USD' },
};

const EXPORTS: Readonly<Record<NetworkProvider, readonly ColumnMap[]>> = {
  awin: [AWIN_EXPORT],
  cj: [CJ_DOLLARS, CJ_EXPORT],
};

/** The normalised header: `Click Ref`, `click_ref` and `clickRef` are equal. */
export function headerName(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** A file's columns by field. */
export interface ChosenColumns {
  readonly map: ColumnMap;
  /** Index of each field's column; undefined for a missing one. */
  readonly indexes: readonly (number | undefined)[];
  readonly hints: Readonly<Partial<Record<Hint, number>>>;
}

export type HeaderFaults = Readonly<Record<string, readonly string[]>>;

/**
 * The map that fits a header: ours, or that of the network's own export; otherwise what the nearest one
 * lacks.
 */
export function chooseColumns(
  header: readonly string[],
  provider: NetworkProvider,
): ChosenColumns | { readonly faults: HeaderFaults } {
  const names = header.map(headerName);
  const repeated = repeatedOf(names);
  if (repeated !== undefined) return { faults: { header: [`names the column ${repeated} twice`] } };
  const tried = [GENERIC, ...EXPORTS[provider]].map((map) => {
    const indexes = indexesOf(map, names);
    return { map, indexes, missing: missingOf(map, indexes) };
  });
  const fitting = tried.find(({ missing }) => missing.length === 0);
  if (fitting !== undefined) {
    return { map: fitting.map, indexes: fitting.indexes, hints: hintsOf(fitting.map, names) };
  }
  const found = (one: (typeof tried)[number]): number =>
    one.indexes.filter((index) => index !== undefined).length;
  const [nearest] = tried.toSorted((left, right) => found(right) - found(left));
  const missing = nearest?.missing ?? [];
  return { faults: Object.fromEntries(missing.map((field) => [field, ['must be a column of the header']])) };
}

function repeatedOf(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => name !== '' && seen.size === seen.add(name).size);
}

/** The values of a record in the order of `SETTLEMENT_FIELDS`. */
export function valuesOf(chosen: ChosenColumns, record: readonly string[]): readonly unknown[] {
  const { map, indexes } = chosen;
  const at = (field: SettlementField): string | null =>
    cellOf(record, indexes[SETTLEMENT_FIELDS.indexOf(field)]) ?? map.defaults?.[field] ?? null;
  if (map.statuses === undefined) return SETTLEMENT_FIELDS.map(at);
  const exported: Record<SettlementField, unknown> = {
    provider_transaction_id: at('provider_transaction_id'),
    click_reference: at('click_reference'),
    order_reference: at('order_reference'),
    ...judged(chosen, record, at),
    currency: at('currency'),
    transaction_at: exportedTime(at('transaction_at')),
    updated_at: exportedTime(at('updated_at') ?? at('transaction_at')),
  };
  return SETTLEMENT_FIELDS.map((field) => exported[field]);
}

type Judged = Record<'commission_amount' | 'commissionable_amount' | 'status', unknown>;

/** A row that reverses another one is a settlement of its own, as in a pull. */
function judged(
  { map, hints }: ChosenColumns,
  record: readonly string[],
  at: (field: SettlementField) => string | null,
): Judged {
  const hint = (name: Hint): string | undefined => cellOf(record, hints[name])?.toLowerCase();
  const amount = (field: SettlementField): unknown => roundedAmount(at(field), at('currency'));
  const currency = at('currency');
  const sold = hint('saleCurrency') ?? currency?.toLowerCase();
  const word = at('status')?.toLowerCase() ?? '';
  const status = hint('validation') === 'declined' ? 'declined' : (map.statuses?.[word] ?? word);
  // An amount in another currency than the commission cannot be stored with it.
  const commissionable = sold === currency?.toLowerCase() ? amount('commissionable_amount') : null;
  const commission = amount('commission_amount');
  const takesBack = map.hints?.original !== undefined && String(commission).startsWith('-');
  const isCorrection = takesBack || ['0', 'false', 'no'].includes(hint('original') ?? '');
  if (!isCorrection) return { status, commissionable_amount: commissionable, commission_amount: commission };
  return {
    status: NETWORK_STATUSES.cj.corrected,
    commissionable_amount: magnitude(commissionable),
    commission_amount: magnitude(commission),
  };
}

function magnitude(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/^-/, '') : value;
}

function cellOf(record: readonly string[], index: number | undefined): string | undefined {
  const text = index === undefined ? undefined : record[index]?.trim();
  return text === '' ? undefined : text;
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

function hintsOf(map: ColumnMap, names: readonly string[]): ChosenColumns['hints'] {
  const found = Object.entries(map.hints ?? {}).map(([hint, columns]) => {
    return [hint, columns.map((name) => names.indexOf(name)).find((index) => index >= 0)] as const;
  });
  return Object.fromEntries(found.filter(([, index]) => index !== undefined));
}

function missingOf(map: ColumnMap, indexes: readonly (number | undefined)[]): readonly SettlementField[] {
  return SETTLEMENT_FIELDS.filter(
    (field, index) => indexes[index] === undefined && !map.optional.includes(field),
  );
}
