import {
  referenceMatchFields,
  SETTLEMENT_FIELDS,
  type UploadPiece,
  type UploadRow,
} from '@truetally/contracts/publisher';
import type { FieldErrors } from '@truetally/kernel';
import type { KeyringFile } from '@truetally/keyring';
import { versionOf } from '../domain/decide-settlement.js';
import type { OfferedSettlement } from '../domain/decide-settlements.js';
import { settlementIdOf } from '../domain/names.js';
import { type RawRow, readSettlementRow, type SettlementRow } from '../domain/read-settlement-row.js';

/** The site and network of settlements. */
export interface SettlementSource {
  readonly siteId: string;
  readonly provider: string;
}

/** A validated row: a settlement to be stored, or refused by its fields. */
export type JudgedRow =
  | { readonly row: number; readonly offered: OfferedSettlement }
  | { readonly row: number; readonly errors: FieldErrors };

/** Validates rows, and replaces their click references with keyed hashes. */
export class RowJudge {
  constructor(
    private readonly keys: Pick<KeyringFile, 'keyring'>,
    private readonly nowMs: () => number,
  ) {}

  piece({ isChangeTimed, rows }: UploadPiece, source: SettlementSource): readonly JudgedRow[] {
    return rows.map((row) => {
      if ('errors' in row) return row;
      return this.judge(rawRow(row), { ...source, row: row.row, isChangeTimed });
    });
  }

  judge(
    raw: RawRow,
    {
      row,
      isChangeTimed,
      ...source
    }: SettlementSource & { readonly row: number; readonly isChangeTimed: boolean },
  ): JudgedRow {
    const read = readSettlementRow(raw, this.nowMs(), isChangeTimed);
    if (!read.ok) return { row, errors: read.error };
    return { row, offered: { version: this.version(read.value, source), isChangeTimed } };
  }

  private version(row: SettlementRow, { siteId, provider }: SettlementSource): OfferedSettlement['version'] {
    const { clickReference, providerTransactionId } = row;
    const referenceHash =
      clickReference === null ? null : this.keys.keyring.match(referenceMatchFields(siteId, clickReference));
    const settlementId = settlementIdOf(siteId, provider, providerTransactionId);
    return versionOf(row, { siteId, provider, settlementId, referenceHash });
  }
}

function rawRow({ values }: Extract<UploadRow, { readonly values: unknown }>): RawRow {
  const raw: Partial<Record<(typeof SETTLEMENT_FIELDS)[number], unknown>> = {};
  SETTLEMENT_FIELDS.forEach((name, index) => {
    raw[name] = values[index];
  });
  return raw;
}
