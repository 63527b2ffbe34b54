import { describe, expect, it } from '@jest/globals';
import { errorsAsCsv } from './job-errors.js';

describe('the errors of a job as a table', () => {
  it('a table quotes what holds commas, quotes or lines, and disarms formulas', () => {
    const errors = [
      { row: 2, field: 'email', message: 'must be an "address", with @' },
      { row: null, field: null, message: '=HYPERLINK("x")' },
      { row: 3, field: 'name', message: 'a;=1+1' },
    ];
    expect(errorsAsCsv(errors)).toBe(
      'row,field,message\r\n2,email,"must be an ""address"", with @"\r\n,,"\'=HYPERLINK(""x"")"\r\n3,name,a;\'=1+1\r\n',
    );
  });
});
