import { parseArgs } from 'node:util';
import { openDatabase } from './database-source.js';
import { writeExport } from './export-file.js';
import { givenPath, ledgerAddress } from './ledger-address.js';
import { inThousands, progress } from './progress.js';

const FAILED = 1;

/** `npm run ledger:export -- --file <file>`: writes the ledger to a file that can be verified without a database. */
export async function runExport(
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  try {
    const { values } = parseArgs({ args: [...parameters], options: { file: { type: 'string' } } });
    if (values.file === undefined) throw new Error('--file must name the file to write.');
    const file = givenPath(values.file, environment);
    const source = await openDatabase(ledgerAddress(environment));
    try {
      await writeExport(
        source,
        file,
        progress((line) => console.error(line)),
      );
    } finally {
      await source.close();
    }
    console.log(`Wrote ${inThousands(source.records)} records to ${file}.`);
    return 0;
  } catch (error) {
    console.error(`Not exported: ${error instanceof Error ? error.message : String(error)}`);
    return FAILED;
  }
}
