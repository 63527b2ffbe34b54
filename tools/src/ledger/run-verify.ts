import { parseArgs } from 'node:util';
import type { Anchor } from '@truetally/contracts/attribution';
import { openDatabase } from './database-source.js';
import { openExport } from './export-file.js';
import { givenPath, ledgerAddress } from './ledger-address.js';
import { type LedgerSource } from './ledger-source.js';
import { inThousands, progress } from './progress.js';
import { type Verdict, verifyLedger } from './verify-ledger.js';

const SOUND = 0;
const BAD_RECORD = 1;
const NOT_VERIFIED = 2;
const MS_PER_SECOND = 1_000;
const ANCHOR = /^([0-9a-f-]{36}):(\d+):([0-9a-f]{64})$/;

/**
 * `npm run ledger:verify`: of the database, or with `--file` of an export, without any database. `--anchor
 * <site>:<sequence>:<hash>`, repeatable, is a head that was stored from a fact `ledger.sealed.v1`.
 * @returns the exit code: 0 sound, 1 a bad record, 2 verification failed
 */
export async function runVerify(
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  try {
    const { values } = parseArgs({
      args: [...parameters],
      options: { file: { type: 'string' }, anchor: { type: 'string', multiple: true, default: [] } },
    });
    const anchors = values.anchor.map(readAnchor);
    const source =
      values.file === undefined
        ? await openDatabase(ledgerAddress(environment))
        : await openExport(givenPath(values.file, environment));
    return await verify(source, anchors);
  } catch (error) {
    console.error(`Not verified: ${error instanceof Error ? error.message : String(error)}`);
    return NOT_VERIFIED;
  }
}

async function verify(source: LedgerSource, anchors: readonly Anchor[]): Promise<number> {
  try {
    const startedAt = performance.now();
    const onProgress = progress((line) => console.error(line));
    const verdict = await verifyLedger(source, { anchors, onProgress });
    if (verdict.fault !== null) {
      console.error(`First bad record: ${verdict.fault.message}`);
      return BAD_RECORD;
    }
    console.log(describe(verdict, (performance.now() - startedAt) / MS_PER_SECOND));
    return SOUND;
  } finally {
    await source.close();
  }
}

function describe({ records, entries, chains, orders }: Verdict, seconds: number): string {
  const perSecond = `${inThousands(records / seconds)} records a second`;
  return (
    `Sound: ${inThousands(records)} records with ${inThousands(entries)} entries, ` +
    `${inThousands(chains)} chains, ${inThousands(orders)} orders; ${seconds.toFixed(1)} s, ${perSecond}.`
  );
}

function readAnchor(text: string): Anchor {
  const [, site_id, sequence, hash] = ANCHOR.exec(text) ?? [];
  if (site_id === undefined || sequence === undefined || hash === undefined) {
    throw new Error(`--anchor must be <site id>:<sequence>:<hash>, not ${text}.`);
  }
  return { site_id, sequence, hash };
}
