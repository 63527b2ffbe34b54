import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { filesThatHold } from './search-files.js';

/** A search without a result proves something only if it can find the text. */
describe('searching files for a text', () => {
  it('finds it plain, in base64 and in hexadecimal digits, with anything around it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'search-'));
    mkdirSync(join(folder, 'deep'));
    const file = join(folder, 'deep', 'data');
    const around = fc.uint8Array({ maxLength: 7 });
    const encoding = fc.constantFrom('latin1', 'base64', 'base64url', 'hex');
    const text = fc.stringMatching(/^[A-Za-z0-9]{12,40}$/);
    fc.assert(
      fc.property(text, around, around, encoding, fc.boolean(), (held, before, after, form, isUpper) => {
        const written = Buffer.concat([before, Buffer.from(held), after]).toString(form);
        writeFileSync(file, form === 'hex' && isUpper ? written.toUpperCase() : written, 'latin1');
        expect(filesThatHold([folder], [held])).toEqual([file]);
        expect(filesThatHold([folder, join(folder, 'nothing')], [`${held}~~~~`, `~~~~${held}`])).toEqual([]);
      }),
      { numRuns: 300 },
    );
    rmSync(folder, { recursive: true });
  });
});
