const ARCHIVE_END = Buffer.from('PK\x05\x06', 'latin1');
const ARCHIVE_END_BYTES = 22;
const MAX_ARCHIVE_COMMENT_BYTES = 65_535;
const DOCUMENT = Buffer.from('%PDF-', 'latin1');
/** How far into a file document readers search for its header. */
const DOCUMENT_SEARCH_BYTES = 1_024;

/**
 * Whether a picture, whatever its own structure, is also a file of another type: an archive is found from a
 * file's end, and a document near its start, so that both fit into a picture's comment.
 */
export function hasOtherReading(bytes: Buffer): boolean {
  return isArchive(bytes) || bytes.subarray(0, DOCUMENT_SEARCH_BYTES).includes(DOCUMENT);
}

/**
 * The archive's end record: one disk, as many entries on it as in total, and a directory that ends before it.
 * Whether its comment must reach the file's end differs between programs, and is not checked.
 */
function isArchive(bytes: Buffer): boolean {
  const first = Math.max(0, bytes.length - ARCHIVE_END_BYTES - MAX_ARCHIVE_COMMENT_BYTES);
  const last = bytes.length - ARCHIVE_END_BYTES;
  for (
    let at = bytes.indexOf(ARCHIVE_END, first);
    at >= 0 && at <= last;
    at = bytes.indexOf(ARCHIVE_END, at + 1)
  ) {
    const isOneDisk = bytes.readUInt32LE(at + 4) === 0;
    const hasAllEntries = bytes.readUInt16LE(at + 8) === bytes.readUInt16LE(at + 10);
    if (isOneDisk && hasAllEntries && bytes.readUInt32LE(at + 12) <= at) return true;
  }
  return false;
}
