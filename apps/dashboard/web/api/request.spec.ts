import { describe, expect, it } from '@jest/globals';
import { freePort } from '@truetally/testing';
import { createApi } from './request.js';

describe('a request of the pages', () => {
  it('a lost answer changed nothing when it was a read, and may have changed something when it was none', async () => {
    const api = createApi({
      baseUrl: `http://127.0.0.1:${await freePort()}`,
      idToken: () => Promise.resolve('token'),
      onUnauthorized: () => undefined,
    });
    const wordsOf = (method: 'GET' | 'POST'): Promise<string> =>
      api<string>({ method, path: '/sites' }).catch(({ message }: Error) => message);
    const [read, write] = await Promise.all([wordsOf('GET'), wordsOf('POST')]);
    expect(read).toBe('Nothing was changed.');
    expect(write).toMatch(/^Whether anything was changed is not known/);
  });
});
