import { freePort } from '@truetally/processes';
import { type Image } from './image.js';
import { startServing } from './run-image.js';

/** The merchants' pages: no service of the catalogue, without a schema, Kafka or a secret. */
export const PAGES_IMAGE = 'dashboard';

/**
 * Starts the image of the pages, reads its page and its configuration over HTTP, and stops it.
 * @throws when it does not start, does not answer as expected, or does not end with 0
 */
export async function tryPages(image: Image<typeof PAGES_IMAGE>): Promise<void> {
  const [httpPort, operationsPort] = await Promise.all([freePort(), freePort()]);
  const env = {
    HTTP_PORT: String(httpPort),
    OPERATIONS_PORT: String(operationsPort),
    OIDC_ISSUER: 'https://login.example',
    OIDC_AUDIENCE: 'truetally-dashboard',
  };
  const running = await startServing(image, env, { readable: [], writable: [] });
  try {
    const home = `http://127.0.0.1:${httpPort}/dashboard/`;
    const page = await fetch(home);
    const html = await page.text();
    const [script = ''] = /\/dashboard\/assets\/index-[\w-]+\.js/.exec(html) ?? [];
    const file = await fetch(new URL(script, home), { headers: { 'accept-encoding': 'br' } });
    const configuration = (await (await fetch(`${home}config.json`)).json()) as { readonly issuer?: unknown };
    const found = [page.status, file.status, file.headers.get('content-encoding'), configuration.issuer];
    if (JSON.stringify(found) !== JSON.stringify([200, 200, 'br', env.OIDC_ISSUER]))
      throw new Error(`The pages are not answered as expected: ${JSON.stringify(found)}`);
    await running.stop();
  } catch (error) {
    await running.kill();
    throw error;
  }
}
