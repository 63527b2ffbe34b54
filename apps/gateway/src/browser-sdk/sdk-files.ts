import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Exchange } from '../http/exchange.js';
import { refuse } from '../http/respond.js';
import { answerFile, type EncodedFile, HEADERS_FOR_ANY_PAGE, type StaticFile } from '../http/static-file.js';

const require = createRequire(import.meta.url);

interface Manifest {
  readonly files: Readonly<Record<string, { readonly file: string }>>;
}

const SCRIPT = 'text/javascript; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
/** A new release reaches every page within minutes, and within a day where the service is away. */
const SHORT = 'public, max-age=300, stale-while-revalidate=86400, stale-if-error=86400';
const FOR_EVER = 'public, max-age=31536000, immutable';

/** `GET /sdk/v1/{file}`: a few files of some kilobytes, in memory, compressed once. */
export class SdkFiles {
  private constructor(private readonly files: ReadonlyMap<string, StaticFile>) {}

  /** @throws Error when the SDK has not been bundled: such a gateway does not start */
  static load(): SdkFiles {
    const manifestFile = require.resolve('@truetally/browser-sdk/served/manifest.json');
    const read = (file: string): Buffer => readFileSync(join(dirname(manifestFile), file));
    const manifest = read('manifest.json');
    const { files } = JSON.parse(manifest.toString()) as Manifest;
    const scripts = Object.entries(files).flatMap(([name, { file }]) => {
      const script = sdkFile(read(file), SCRIPT);
      return [
        [name, script(SHORT)],
        [file, script(FOR_EVER)],
      ] as const;
    });
    return new SdkFiles(new Map([...scripts, ['manifest.json', sdkFile(manifest, JSON_TYPE)(SHORT)]]));
  }

  async answer(exchange: Exchange, name: string): Promise<void> {
    const file = this.files.get(name);
    if (file === undefined) return refuse(exchange, 'not-found');
    await answerFile(exchange, file, HEADERS_FOR_ANY_PAGE);
  }
}

/** The same file under each of its names. It is compressed when it is first asked for: half of the gateways are asked for none. */
function sdkFile(content: Buffer, contentType: string): (caching: string) => StaticFile {
  const tag = `"${hash('sha256', content, 'base64url')}"`;
  let made: readonly EncodedFile[] | undefined;
  const encoded = (): readonly EncodedFile[] => [
    inMemory('br', brotliCompressSync(content)),
    inMemory('gzip', gzipSync(content)),
    inMemory('identity', content),
  ];
  return (caching) => ({
    tag,
    contentType,
    caching,
    get encoded() {
      return (made ??= encoded());
    },
  });
}

function inMemory(encoding: string, content: Buffer): EncodedFile {
  return { encoding, bytes: content.length, read: () => content };
}
