import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Exchange } from '../http/exchange.js';
import { refuse } from '../http/respond.js';
import { securityHeaders } from '../http/security-headers.js';
import { answerFile, type EncodedFile, type StaticFile } from '../http/static-file.js';

/** What `build-api-page.mjs` writes. */
interface Manifest {
  readonly page: BuiltFile;
  /** By their names with a hash. */
  readonly files: Readonly<Record<string, BuiltFile>>;
}

interface BuiltFile {
  readonly content_type: string;
  readonly sha256: string;
  readonly bytes: { readonly br: number; readonly gzip: number; readonly identity: number };
}

const FOLDER = new URL('../../dist/api-page/', import.meta.url);
const PAGE = 'index.html';
const ALWAYS_ASKED = 'no-cache';
const FOR_EVER = 'public, max-age=31536000, immutable';
const SUFFIXES = { br: '.br', gzip: '.gz', identity: '' } as const;

/** The viewer has pictures in its style sheet; everything else is a file of this host. */
const PAGE_HEADERS = [
  ...securityHeaders({
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  }),
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Opener-Policy',
  'same-origin',
  'Cross-Origin-Resource-Policy',
  'same-origin',
];

/** `GET /api/docs` and its files, read from the disk when somebody asks: a gateway keeps none of their bytes. */
export class ApiPage {
  private constructor(
    private readonly page: StaticFile,
    private readonly files: ReadonlyMap<string, StaticFile>,
  ) {}

  /** @throws Error when the page has not been built: such a gateway does not start */
  static load(): ApiPage {
    const { page, files } = JSON.parse(readFileSync(new URL('manifest.json', FOLDER), 'utf8')) as Manifest;
    const named = Object.entries(files).map(([name, file]) => [name, onDisk(name, file, FOR_EVER)] as const);
    return new ApiPage(onDisk(PAGE, page, ALWAYS_ASKED), new Map(named));
  }

  answerPage(exchange: Exchange): Promise<void> {
    return answerFile(exchange, this.page, PAGE_HEADERS);
  }

  async answerFile(exchange: Exchange, name: string): Promise<void> {
    const file = this.files.get(name);
    if (file === undefined) return refuse(exchange, 'not-found');
    await answerFile(exchange, file, PAGE_HEADERS);
  }
}

function onDisk(name: string, { content_type, sha256, bytes }: BuiltFile, caching: string): StaticFile {
  const encodings = ['br', 'gzip', 'identity'] as const;
  return {
    tag: `"${sha256}"`,
    contentType: content_type,
    caching,
    encoded: encodings.map((encoding): EncodedFile => {
      const read = sharedRead(new URL(name + SUFFIXES[encoding], FOLDER));
      return { encoding, bytes: bytes[encoding], read };
    }),
  };
}

/** Those who ask while a file is being read get the same bytes, so that many readers hold one copy. */
function sharedRead(file: URL): () => Promise<Buffer> {
  let reading: Promise<Buffer> | undefined;
  return () => {
    reading ??= readFile(file).finally(() => {
      reading = undefined;
    });
    return reading;
  };
}
