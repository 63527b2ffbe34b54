import { type AskedAgain, throughOutbox } from '@truetally/service';
import { packedFacts } from '../domain/facts.js';
import { CHAINS_START, type ChainsPlace, readRecorded } from '../storage/recorded-entries.js';

/** After a piece a quiet service looks at its outbox a quarter of a second later; new records wait for half a second behind so many. */
const RECORDS_PER_PIECE = 5_000;

/**
 * Publishes records again, in the order of each chain.
 * @param limit of records in a piece
 * @returns how many
 */
export function republishRecords(asked: AskedAgain, limit = RECORDS_PER_PIECE): Promise<number> {
  return throughOutbox<ChainsPlace>(asked, CHAINS_START, async (client, place) => {
    const recorded = await readRecorded(client, asked.period, place, limit);
    const last = recorded.at(-1);
    const next = last && { siteId: last.entry.order.siteId, sequence: last.fields.chain_sequence ?? '' };
    return { facts: recorded.length, rows: packedFacts(recorded), next };
  });
}
