import { describe, expect, it } from '@jest/globals';
import { createLogger } from './index.js';

function logged(fields: object): Record<string, unknown> {
  const lines: string[] = [];
  const log = createLogger(
    { service: 's', instance: 'i', level: 'info' },
    { write: (line) => void lines.push(line) },
  );
  log.info(fields, 'Something happened.');
  return JSON.parse(lines.join('')) as Record<string, unknown>;
}

describe('createLogger', () => {
  it('writes JSON lines that name the service and the instance', () => {
    expect(logged({ count: 1 })).toMatchObject({
      level: 'info',
      service: 's',
      instance: 'i',
      count: 1,
      message: 'Something happened.',
    });
  });

  it.each([
    'authorization',
    'x-api-key',
    'api_key',
    'runtime_token',
    'token',
    'secret',
    'provider_click_id',
    'body',
  ])('cuts out %s wherever a line names it', (field) => {
    const line = JSON.stringify(
      logged({ [field]: 'SECRET', a: { [field]: 'SECRET', b: { [field]: 'SECRET' } } }),
    );
    expect(line).not.toContain('SECRET');
    expect(line.match(/\[redacted\]/g)).toHaveLength(3);
  });
});
