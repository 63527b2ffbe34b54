import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const LEAN_HTTP = new URL('./lean-http.ts', import.meta.url).href;
const HAS_FETCH_CLIENT = `process.moduleLoadList.some((name) => name.includes('undici'))`;

/** The output of a separate process: modules loaded by this one prove nothing. */
async function run(script: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  return stdout.trim();
}

describe('importing node:http', () => {
  it('loads the fetch client, which is why lean-http is there', async () => {
    expect(await run(`await import('node:http'); console.log(${HAS_FETCH_CLIENT});`)).toBe('true');
  });

  it('an import of node:http after lean-http loads no fetch client, and a server answers', async () => {
    const answer = await run(`
      await import('${LEAN_HTTP}');
      const { createServer, get } = await import('node:http');
      const server = createServer((request, response) => response.end(request.url));
      server.listen(0, '127.0.0.1', () => {
        get('http://127.0.0.1:' + server.address().port + '/path', (response) => {
          response.on('data', (text) => console.log(String(text), ${HAS_FETCH_CLIENT}));
          response.on('end', () => server.close());
        });
      });`);
    expect(answer).toBe('/path false');
  });

  it('leaves the global fetch and WebSocket as they are', async () => {
    const script = `
      await import('${LEAN_HTTP}');
      await import('node:http');
      const response = await fetch('data:text/plain,hello');
      console.log(await response.text(), typeof WebSocket);`;
    expect(await run(script)).toBe('hello function');
  });
});
