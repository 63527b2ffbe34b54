import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { wantedEncodings } from './wanted-encodings.js';

/** Vite writes no others, but their compressed forms. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html;charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};
/** By the extension beside each file, the preferred one first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;
const NOT_MODIFIED = 304;

interface Compressed {
  /** As in `Content-Encoding`. */
  readonly encoding: string;
  readonly content: Buffer;
}

interface PageFile {
  /** Of every form, therefore weak. */
  readonly tag: string;
  readonly type: string;
  readonly content: Buffer;
  /** The preferred one first. */
  readonly compressed: readonly Compressed[];
}

/**
 * The files of the pages, a megabyte with their compressed forms. They are read once: an answer that its client does not read, or
 * leaves, holds no open file and no copy of one.
 */
export class PageFiles {
  private readonly files = new Map<string, PageFile>();

  /** @throws Error when the folder has no page, or a file no compressed form */
  constructor(folder: string) {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    for (const name of names.filter((one) => extname(one) in TYPES && !one.startsWith('.'))) {
      this.files.set(`/${name}`, readFile(join(folder, name)));
    }
    if (!this.files.has('/index.html')) throw new Error(`${folder} has no page.`);
  }

  /** @returns whether there is such a file; otherwise nothing is answered */
  answer(request: IncomingMessage, response: ServerResponse, name: string): boolean {
    const file = this.files.get(name);
    if (file === undefined) return false;
    response.setHeader('Vary', 'Accept-Encoding');
    response.setHeader('ETag', file.tag);
    if (isKnown(request.headers['if-none-match'], file.tag)) {
      response.writeHead(NOT_MODIFIED).end();
      return true;
    }
    const wanted = wantedEncodings(request.headers['accept-encoding'] ?? '');
    const form = file.compressed.find(({ encoding }) => wanted.includes(encoding));
    if (form !== undefined) response.setHeader('Content-Encoding', form.encoding);
    const { content } = form ?? file;
    response.writeHead(200, { 'Content-Type': file.type, 'Content-Length': content.length });
    response.end(content);
    return true;
  }
}

function readFile(path: string): PageFile {
  const content = readFileSync(path);
  const compressed = ENCODINGS.map(([encoding, extension]) => ({
    encoding,
    content: readFileSync(path + extension),
  }));
  const hash = createHash('sha256').update(content).digest('base64url');
  return {
    tag: `W/"${hash}"`,
    type: TYPES[extname(path)] ?? '',
    content,
    compressed,
  };
}

function isKnown(header: string | undefined, tag: string): boolean {
  return header !== undefined && header.split(',').some((one) => one.trim() === tag);
}
