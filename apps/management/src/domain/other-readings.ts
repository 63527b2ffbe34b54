const ARCHIVE_END = Buffer.from('PK\x05\x06', 'latin1');
const ARCHIVE_END_BYTES = 22;
const MAX_ARCHIVE_COMMENT_BYTES = 65_535;
const DOCUMENT = Buffer.from('%PDF-', 'latin1');
/** How far into a file readers of documents look for its beginning. */
const DOCUMENT_SEARCH_BYTES = 1_024;

/**
 * Whether a picture, whatever its own structure says, is also a file that another program opens: an archive is found from
 * the end of a file, and a document somewhere near its beginning, so that both fit into a picture's comment.
 */
export function hasOtherReading(bytes: Buffer): boolean {
  return isArchive(bytes) || bytes.subarray(0, DOCUMENT_SEARCH_BYTES).includes(DOCUMENT);
}

/**
 * The archive's last record: one disk, as many entries on it as in all, and a directory of them that ends before it. Some
 * programs want its comment to reach the file's end, and others do not.
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
