import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, freePort, type LocalService, REPOSITORY_ROOT } from '@truetally/testing';
import { gzipSync } from 'node:zlib';
import { startDashboard } from './testing/start-dashboard.js';

const BUILT = join(REPOSITORY_ROOT, 'apps', 'dashboard', 'dist', 'web');
const FIRST_SCREEN_BYTES = 150 * 1024;
const ROUTE_BYTES = 35 * 1024;
const STYLE_BYTES = 15 * 1024;

interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly isDynamicEntry?: boolean;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

describe('the pages’ process (section 12)', () => {
  let process: LocalService;
  let origin: string;

  beforeAll(async () => {
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    process = await startDashboard({
      port,
      apiBaseUrl: 'https://api.example/api/v1',
      issuer: 'https://login.example/realms/shop/',
      audience: 'dashboard',
    });
  });

  afterAll(() => process.stop());

  const get = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(origin + path, { redirect: 'manual', ...init });

  it('every address without an extension is the page, and a missing file is 404 in plain text', async () => {
    for (const path of ['/dashboard/', '/dashboard/w/1/orders?order=a.b', '/dashboard/callback?code=c']) {
      const page = await get(path);
      expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-cache']);
      expect(await page.text()).toContain('<div id="root">');
    }
    const missing = await get('/dashboard/assets/none-00000000.js');
    expect([missing.status, missing.headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8']);
    expect(await missing.text()).not.toContain('<');
    const bare = await get('/dashboard');
    expect([bare.status, bare.headers.get('location')]).toEqual([308, '/dashboard/']);
    expect((await get('/elsewhere')).status).toBe(404);
  });

  it('its metrics say which build runs, as every process’ do', async () => {
    const metrics = await fetch(`http://127.0.0.1:${process.operationsPort}/metrics`);
    expect(await metrics.text()).toContain(
      'truetally_build_info{version="1.2.3",commit="unknown",service="dashboard"} 1',
    );
  });

  it('every answer carries the policy, with the origins of the configuration', async () => {
    const answers = [
      await get('/dashboard/'),
      await get('/dashboard/none.js'),
      await get('/dashboard/', { method: 'POST' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 405]);
    for (const { headers } of answers) {
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https://api.example; " +
          "connect-src 'self' https://api.example https://login.example; frame-src 'self'; form-action 'self'; " +
          "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('permissions-policy')).toMatch(/^([\w-]+=\(\)(, |$))+$/);
    }
    expect(answers[2]?.headers.get('allow')).toBe('GET, HEAD');
  });

  it('the preview’s frame has a policy of its own: no origin, nobody to ask, framed by our page only', async () => {
    const frame = await get('/dashboard/preview.html');
    expect([frame.status, frame.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    expect(await frame.text()).toContain('<script src="/dashboard/preview.js"></script>');
    const policy = frame.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/; sandbox allow-scripts$/);
    expect(policy).toContain("frame-ancestors 'self'");
    expect(policy).not.toMatch(/connect-src|allow-same-origin|unsafe|https?:/);
    for (const other of [
      '%70review.html',
      'preview.html/',
      '/preview.html',
      'preview%2Ehtml',
      'x/..%2fpreview.html',
    ])
      expect(await (await get(`/dashboard/${other}`)).text()).not.toContain('preview.js');
    const script = await get('/dashboard/preview.js');
    expect([script.status, script.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    expect(await script.text()).not.toMatch(/\b(import|export)\b\s*[{*]/);
  });

  it('files named by their content are kept for ever, and come compressed', async () => {
    const html = await (await get('/dashboard/')).text();
    const [script = ''] = /\/dashboard\/assets\/index-[\w-]+\.js/.exec(html) ?? [];
    for (const encoding of ['br', 'gzip']) {
      const file = await get(script, { headers: { 'accept-encoding': encoding } });
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(file.headers.get('content-encoding')).toBe(encoding);
      expect(await file.text()).toContain('Sign out');
    }
    const head = await get(script, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('a range is answered with the whole file, also one that ends before it begins or has no unit', async () => {
    const whole = await (await get('/dashboard/')).text();
    for (const range of ['bytes=5-2', 'bytes=-5', 'bytes=0-0', 'bytes=99999999-', 'items=0-5']) {
      const answer = await get('/dashboard/', { headers: { range } });
      expect([answer.status, await answer.text()]).toEqual([200, whole]);
    }
  });

  it('an encoding that is refused by q=0 is not sent, and an unchanged page says how long it may be kept', async () => {
    const plain = await get('/dashboard/', { headers: { 'accept-encoding': 'br;q=0, gzip; q=0.000, *' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    const gzip = await get('/dashboard/', { headers: { 'accept-encoding': 'br;q=0, gzip;q=0.5' } });
    expect(gzip.headers.get('content-encoding')).toBe('gzip');
    const known = { 'if-none-match': plain.headers.get('etag') ?? '', 'accept-encoding': 'identity' };
    const unchanged = await get('/dashboard/', { headers: known });
    expect([unchanged.status, unchanged.headers.get('cache-control')]).toEqual([304, 'no-cache']);
  });

  it('a client that goes away in the middle of a file leaves it open for nobody', async () => {
    const html = await (await get('/dashboard/')).text();
    const [script = ''] = /\/dashboard\/assets\/index-[\w-]+\.js/.exec(html) ?? [];
    const openFiles = async (): Promise<number> => {
      const metrics = await fetch(`http://127.0.0.1:${process.operationsPort}/metrics`);
      return Number(/^process_open_fds\S* (\d+)$/m.exec(await metrics.text())?.[1]);
    };
    const before = await openFiles();
    await Promise.all(
      Array.from({ length: 40 }, async () => {
        const client = connect(Number(new URL(origin).port), '127.0.0.1');
        client.write(`GET ${script} HTTP/1.1\r\nHost: a\r\n\r\n`);
        await once(client, 'readable');
        const closed = once(client, 'close');
        client.resetAndDestroy();
        await closed;
      }),
    );
    await eventually(async () => (await openFiles()) <= before);
  });

  it('the page’s configuration is public and names what the process was told', async () => {
    const answer = await get('/dashboard/config.json');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(await answer.json()).toEqual({
      api_base_url: 'https://api.example/api/v1',
      issuer: 'https://login.example/realms/shop/',
      client_id: 'dashboard',
      scope: 'openid email profile offline_access',
      version: '0.1.0',
    });
  });

  it('the first screen, each route and the styles stay within their budgets', () => {
    const manifest = JSON.parse(readFileSync(join(BUILT, '.vite', 'manifest.json'), 'utf8')) as Record<
      string,
      Chunk
    >;
    const bytes = (file: string): number => gzipSync(readFileSync(join(BUILT, file)), { level: 9 }).length;
    const sum = (names: Iterable<string>): number =>
      [...names].reduce((total, name) => total + bytes(name), 0);
    const filesOf = (key: string, seen = new Set<string>()): Set<string> => {
      const chunk = manifest[key];
      if (chunk === undefined || seen.has(chunk.file)) return seen;
      seen.add(chunk.file);
      for (const imported of chunk.imports ?? []) filesOf(imported, seen);
      return seen;
    };
    const chunks = Object.entries(manifest);
    const [entry = ''] = chunks.find(([, { isEntry }]) => isEntry === true) ?? [];
    const first = filesOf(entry);
    expect(sum(first)).toBeLessThanOrEqual(FIRST_SCREEN_BYTES);
    const routes = chunks.filter(([, { isDynamicEntry }]) => isDynamicEntry === true);
    expect(routes.length).toBeGreaterThan(5);
    for (const [key] of routes) {
      const own = [...filesOf(key)].filter((file) => !first.has(file));
      expect({ key, isWithin: sum(own) <= ROUTE_BYTES }).toEqual({ key, isWithin: true });
    }
    const styles = new Set(chunks.flatMap(([, { css }]) => css ?? []));
    expect(sum(styles)).toBeLessThanOrEqual(STYLE_BYTES);
    const html = readFileSync(join(BUILT, 'index.html'), 'utf8');
    expect(html).not.toMatch(/<style|style=|<script(?![^>]*src=)/);
  });

  it('the process stops in order, although a browser has opened a connection in advance', async () => {
    const silent = connect(Number(new URL(origin).port), '127.0.0.1');
    await once(silent, 'connect');
    // Accepted in turn, so that the silent one is there, too.
    await get('/dashboard/');
    await process.kill('SIGTERM');
    expect(await process.exited).toEqual({ code: 0, signal: null });
    silent.destroy();
  });
});
