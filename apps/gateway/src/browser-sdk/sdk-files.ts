import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { isCached } from '../http/entity-tag.js';
import type { Exchange } from '../http/exchange.js';
import { refuse } from '../http/respond.js';

const require = createRequire(import.meta.url);

interface SdkFile {
  /** Sent as a weak one: it is that of every encoding. */
  readonly tag: string;
  readonly contentType: string;
  readonly caching: string;
  /** The content in each encoding, the one that is preferred first. */
  readonly encoded: readonly (readonly [encoding: string, content: Buffer])[];
}

interface Manifest {
  readonly files: Readonly<Record<string, { readonly file: string }>>;
}

const OK = 200;
const NOT_MODIFIED = 304;
const SCRIPT = 'text/javascript; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
/** A new release reaches every page within minutes, and within a day where the service is away. */
const SHORT = 'public, max-age=300, stale-while-revalidate=86400, stale-if-error=86400';
const FOR_EVER = 'public, max-age=31536000, immutable';

/** Any page may load the script, and check its integrity: `*`, never with credentials. */
const FILE_HEADERS = [
  'Access-Control-Allow-Origin',
  '*',
  'Cross-Origin-Resource-Policy',
  'cross-origin',
  'Content-Security-Policy',
  "default-src 'none'; sandbox",
  'X-Content-Type-Options',
  'nosniff',
  'Vary',
  'Accept-Encoding',
];

/** `GET /sdk/v1/{file}`: a few files of some kilobytes, in memory, compressed once. */
export class SdkFiles {
  private constructor(private readonly files: ReadonlyMap<string, SdkFile>) {}

  /** @throws Error when the SDK has not been bundled: such a gateway does not start */
  static load(): SdkFiles {
    const manifestFile = require.resolve('@truetally/browser-sdk/served/manifest.json');
    const read = (file: string): Buffer => readFileSync(join(dirname(manifestFile), file));
    const manifest = read('manifest.json');
    const { files } = JSON.parse(manifest.toString()) as Manifest;
    const scripts = Object.entries(files).flatMap(([name, { file }]) => {
      const content = read(file);
      return [
        [name, sdkFile(content, SCRIPT, SHORT)],
        [file, sdkFile(content, SCRIPT, FOR_EVER)],
      ] as const;
    });
    return new SdkFiles(new Map([...scripts, ['manifest.json', sdkFile(manifest, JSON_TYPE, SHORT)]]));
  }

  answer(exchange: Exchange, name: string): void {
    const file = this.files.get(name);
    if (file === undefined) return refuse(exchange, 'not-found');
    const { request, response, outstanding } = exchange;
    if (response.headersSent || response.destroyed) return;
    const headers = [...FILE_HEADERS, 'X-Request-Id', exchange.requestId];
    headers.push('Cache-Control', file.caching, 'ETag', `W/${file.tag}`);
    if (isCached(request.headers['if-none-match'], file.tag)) {
      exchange.onAnswered(exchange, NOT_MODIFIED);
      response.writeHead(NOT_MODIFIED, headers);
      response.end();
      return;
    }
    const [encoding, content] = chosen(file, String(request.headers['accept-encoding'] ?? ''));
    if (!outstanding.admits(request, content.length)) return refuse(exchange, 'unavailable');
    if (encoding !== IDENTITY) headers.push('Content-Encoding', encoding);
    headers.push('Content-Type', file.contentType, 'Content-Length', String(content.length));
    exchange.onAnswered(exchange, OK);
    response.writeHead(OK, headers);
    response.end(request.method === 'HEAD' ? undefined : content);
    outstanding.watch(request, response);
  }
}

const IDENTITY = 'identity';

function sdkFile(content: Buffer, contentType: string, caching: string): SdkFile {
  return {
    tag: `"${hash('sha256', content, 'base64url')}"`,
    contentType,
    caching,
    encoded: [
      ['br', brotliCompressSync(content)],
      ['gzip', gzipSync(content)],
      [IDENTITY, content],
    ],
  };
}

/** The first that the client names without refusing it by `q=0`. */
function chosen({ encoded }: SdkFile, accepted: string): readonly [encoding: string, content: Buffer] {
  const names = accepted
    .toLowerCase()
    .split(',')
    .map((part) => part.replace(/\s/g, ''))
    .filter((part) => !/;q=0(\.0*)?$/.test(part))
    .map((part) => part.split(';')[0]);
  const found = encoded.find(([encoding]) => encoding === IDENTITY || names.includes(encoding));
  if (found === undefined) throw new Error('A file has no plain content.');
  return found;
}
