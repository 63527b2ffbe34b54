import { TextDecoder } from 'node:util';
import { FeedError } from './feed-error.js';

const DECLARED = /^\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']/;
const CHARSET = /;\s*charset\s*=\s*"?([A-Za-z0-9._-]{1,40})/i;
/** An XML declaration is shorter. */
const SNIFFED_BYTES = 512;

/**
 * The text of a feed. Its encoding is that of its byte order mark, else of its XML declaration, else of the header, else UTF-8. Bytes
 * that are none become U+FFFD. @throws FeedError for an encoding that nobody knows
 */
export async function* feedText(
  bytes: AsyncIterable<Buffer>,
  contentType: string | undefined,
): AsyncGenerator<string> {
  let begun = Buffer.alloc(0);
  let decoder: TextDecoder | undefined;
  for await (const chunk of bytes) {
    if (decoder !== undefined) {
      yield decoder.decode(chunk, { stream: true });
      continue;
    }
    begun = Buffer.concat([begun, chunk]);
    if (begun.length < SNIFFED_BYTES) continue;
    decoder = decoderOf(begun, contentType);
    yield decoder.decode(begun, { stream: true });
  }
  decoder ??= decoderOf(begun, contentType);
  if (begun.length < SNIFFED_BYTES) yield decoder.decode(begun, { stream: true });
  yield decoder.decode();
}

function decoderOf(begun: Buffer, contentType: string | undefined): TextDecoder {
  const label = labelOf(begun, contentType);
  try {
    return new TextDecoder(label);
  } catch {
    throw new FeedError('The feed is in an encoding that is not known.');
  }
}

function labelOf(begun: Buffer, contentType: string | undefined): string {
  if (begun[0] === 0xff && begun[1] === 0xfe) return 'utf-16le';
  if (begun[0] === 0xfe && begun[1] === 0xff) return 'utf-16be';
  if (begun[0] === 0xef && begun[1] === 0xbb && begun[2] === 0xbf) return 'utf-8';
  const declared = DECLARED.exec(begun.subarray(0, SNIFFED_BYTES).toString('latin1'))?.[1];
  // A declaration that can be read byte by byte is not in one of two bytes each.
  if (declared !== undefined) return /^utf-?16/i.test(declared) ? 'utf-8' : declared;
  return CHARSET.exec(contentType ?? '')?.[1] ?? 'utf-8';
}
