import { describe, expect, it } from '@jest/globals';
import { curlOf } from './curl.js';

describe('a command for a shell', () => {
  it('its body is JSON, and no quote in it ends the text', () => {
    const command = curlOf('https://api.example/events/track', 'ck_key', { name: "Ada's" });
    const [, body = ''] = /-d '([^']*)'$/.exec(command) ?? [];
    expect(JSON.parse(body)).toEqual({ name: "Ada's" });
    expect(command).toMatch(/^curl -X POST 'https:\/\/api\.example\/events\/track' \\\n/);
  });
});
