import { describe, expect, it } from '@jest/globals';
import { BLOCKED_PORTS } from './blocked-ports.js';
import { PORT_VARIABLES, readStackConfiguration } from './configuration.js';

const NEVER_FETCHED = ['KAFKA_PORT', 'KAFKA_CONTROLLER_PORT', 'POSTGRES_PORT'];

describe('the configuration of the local stack', () => {
  it.each(PORT_VARIABLES)(
    '%s refuses a port that browsers and fetch block, unless nothing fetches it',
    (name) => {
      const read = (): unknown => readStackConfiguration([], { [name]: '6000' });
      if (NEVER_FETCHED.includes(name)) expect(read).not.toThrow();
      else
        expect(read).toThrow(
          new RegExp(`${name} must be a whole number .* the Fetch standard does not block`),
        );
    },
  );

  it('two variables with the same port are refused by their names', () => {
    const ports = { GATEWAY_PORT: '5000', ANALYTICS_OPERATIONS_PORT: '5000' };
    expect(() => readStackConfiguration([], ports)).toThrow(
      'ANALYTICS_OPERATIONS_PORT and GATEWAY_PORT are both 5000.',
    );
  });

  it('what the runbooks set for one start reaches the services', () => {
    const { handedOn } = readStackConfiguration([], { REPUBLISH_ON_START: 'true', LOG_LEVEL: '' });
    expect(handedOn).toEqual({ REPUBLISH_ON_START: 'true' });
  });

  it.each([...BLOCKED_PORTS])('port %i is blocked by fetch itself', async (port) => {
    const refused = expect.objectContaining({ cause: expect.objectContaining({ message: 'bad port' }) });
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toEqual(refused);
  });
});
