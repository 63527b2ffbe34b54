const DIRECTORY_NAME = 'SEFH';
const TRAILER_NAME = 'SEFT';
/** Length of the directory, and the trailer's name, at the end of the file. */
const TAIL_BYTES = 8;
const DIRECTORY_HEADER_BYTES = 12;
const ENTRY_BYTES = 12;
/**
 * Times, modes and similar data take hundreds of bytes; a larger trailer contains a video or something else.
 */
const MAX_TRAILER_BYTES = 64 * 1024;

/**
 * Whether the rest of a file is the trailer that Samsung's cameras write after every picture: blocks, a
 * directory with the position of each, the directory's length and a name. The blocks must exactly fill the
 * space before the directory.
 */
export function isCameraTrailer(bytes: Buffer, start: number): boolean {
  const length = bytes.length - start;
  if (length < TAIL_BYTES + DIRECTORY_HEADER_BYTES || length > MAX_TRAILER_BYTES) return false;
  if (bytes.toString('latin1', bytes.length - 4) !== TRAILER_NAME) return false;
  const directoryEnd = bytes.length - TAIL_BYTES;
  const directory = directoryEnd - bytes.readUInt32LE(directoryEnd);
  if (directory < start || directory + DIRECTORY_HEADER_BYTES > directoryEnd) return false;
  if (bytes.toString('latin1', directory, directory + 4) !== DIRECTORY_NAME) return false;
  const count = bytes.readUInt32LE(directory + 8);
  if (directory + DIRECTORY_HEADER_BYTES + count * ENTRY_BYTES !== directoryEnd) return false;
  return fills(readBlocks(bytes, directory, count), start, directory);
}

interface Block {
  readonly start: number;
  readonly end: number;
}

/** An entry has its block's distance before the directory, and its length. */
function readBlocks(bytes: Buffer, directory: number, count: number): readonly Block[] {
  return Array.from({ length: count }, (_, index) => {
    const entry = directory + DIRECTORY_HEADER_BYTES + index * ENTRY_BYTES;
    const start = directory - bytes.readUInt32LE(entry + 4);
    return { start, end: start + bytes.readUInt32LE(entry + 8) };
  });
}

function fills(blocks: readonly Block[], start: number, end: number): boolean {
  let reached = start;
  for (const block of blocks.toSorted((left, right) => left.start - right.start)) {
    if (block.start !== reached || block.end < block.start) return false;
    reached = block.end;
  }
  return reached === end;
}
