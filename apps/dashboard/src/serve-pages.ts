import { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { extname } from 'node:path';
import type { PageConfiguration } from './page-configuration.js';
import { PageFiles } from './page-files.js';

export interface Pages {
  /** Vite's output, with `.br` and `.gz` beside each file. */
  readonly folder: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of the preview's frame. */
  readonly previewHeaders: Readonly<Record<string, string>>;
  readonly configuration: PageConfiguration;
}

const BASE = '/dashboard';
const CONFIGURATION = `${BASE}/config.json`;
const PREVIEW = `${BASE}/preview.html`;
/** Vite names what is in this folder by its content. */
const HASHED = `${BASE}/assets/`;
const FOR_EVER = 'public, max-age=31536000, immutable';
const ALWAYS_ASKED = 'no-cache';

/** Answers every request of the process (interface page, section 12). */
export function servePages({ folder, headers, previewHeaders, configuration }: Pages): RequestListener {
  const files = new PageFiles(folder);
  const configurationText = JSON.stringify(configuration);
  return (request, response) => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    const own = path === PREVIEW ? previewHeaders : headers;
    for (const [name, value] of Object.entries(own)) response.setHeader(name, value);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return plain(response, 405, 'Only GET and HEAD are answered here.', { Allow: 'GET, HEAD' });
    }
    if (path === BASE) return plain(response, 308, '', { Location: `${BASE}/` });
    if (path === CONFIGURATION) return sendConfiguration(request, response, configurationText);
    if (!path.startsWith(`${BASE}/`)) return plain(response, 404, 'Not found.');
    const isPage = extname(path) === '';
    // Of a file only its one spelling is served: another one would come without the headers that this one has.
    if (!isPage && /%|\/$/.test(path)) return plain(response, 404, 'Not found.');
    const name = isPage ? '/index.html' : path.slice(BASE.length);
    response.setHeader('Cache-Control', !isPage && path.startsWith(HASHED) ? FOR_EVER : ALWAYS_ASKED);
    if (!files.answer(request, response, name)) plain(response, 404, 'Not found.');
  };
}

function sendConfiguration(request: IncomingMessage, response: ServerResponse, text: string): void {
  response.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': ALWAYS_ASKED,
  });
  response.end(request.method === 'HEAD' ? undefined : text);
}

function plain(
  response: ServerResponse,
  status: number,
  text: string,
  more: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    ...more,
  });
  response.end(text);
}
