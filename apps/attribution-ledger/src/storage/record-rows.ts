import { RECORD_COLUMNS } from '@truetally/contracts/attribution';
import { copyText } from '@truetally/persistence';
import type { SealedEntry } from '../domain/seal-entries.js';

/** An insert of 47 arrays took three fifths of what an order cost Postgres here. */
export const COPY_RECORDS = `copy records (${RECORD_COLUMNS.join(', ')}, previous_hash, hash) from stdin`;

/** The rows as COPY reads them: each column is the exact text that was hashed. */
export function copyRecords(sealed: readonly SealedEntry[]): string {
  return sealed
    .map(({ fields, previousHash, hash }) => {
      const columns = RECORD_COLUMNS.map((column) => copyText(fields[column]));
      return `${columns.join('\t')}\t${previousHash}\t${hash}\n`;
    })
    .join('');
}
