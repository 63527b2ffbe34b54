import type { OutgoingFact } from '@truetally/persistence';
import { type AskedAgain, throughOutbox } from '@truetally/service';
import { packedFacts } from '../domain/facts.js';
import { CHAINS_START, type ChainsPlace, readRecorded } from '../storage/recorded-entries.js';

/**
 * Some two thousand, and a record may have 22 KB: a piece is not all of the program's memory. After it a quiet service looks at its outbox
 * a quarter of a second later.
 */
const PIECE = { length: 2_097_152, recordsPerRead: 100 };

/**
 * Publishes records again, in the order of each chain.
 * @param piece ends behind the read with which its facts have this length
 * @returns how many
 */
export function republishRecords(asked: AskedAgain, { length, recordsPerRead } = PIECE): Promise<number> {
  return throughOutbox<ChainsPlace>(asked, CHAINS_START, async (client, place) => {
    const rows: OutgoingFact[] = [];
    let [facts, left] = [0, length];
    let next: ChainsPlace | undefined = place;
    while (next !== undefined && left > 0) {
      const recorded = await readRecorded(client, asked.period, next, recordsPerRead);
      facts += recorded.length;
      for (const row of packedFacts(recorded)) {
        rows.push(row);
        left -= row.value.length;
      }
      const last = recorded.at(-1);
      next = last && { siteId: last.entry.order.siteId, sequence: last.fields.chain_sequence ?? '' };
    }
    return { facts, rows, next };
  });
}
