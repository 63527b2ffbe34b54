import { connect, type Socket } from 'node:net';

const SIZE_BYTES = 4;
/** What is read at once. */
const READ_BYTES = 262_144;
/** More than any broker answers. */
const MOST_BYTES = 268_435_456;

/** Puts answers together from pieces whose memory is read into again: each is copied once, into its exact size. */
export class AnswerGatherer {
  private readonly size = Buffer.alloc(SIZE_BYTES);
  private answer: Buffer | undefined;
  /** Bytes of the answer that have come, or of its size. */
  private end = 0;

  constructor(private readonly onAnswer: (answer: Buffer) => void) {}

  /** @throws RangeError for what is no answer */
  take(piece: Buffer): void {
    let at = 0;
    while (at < piece.length) {
      const into = this.answer ?? this.size;
      const copied = piece.copy(into, this.end, at);
      at += copied;
      this.end += copied;
      if (this.end < into.length) return;
      if (this.answer === undefined) this.begin();
      if (this.answer?.length === this.end) this.finish(this.answer);
    }
  }

  private begin(): void {
    const bytes = this.size.readInt32BE();
    if (bytes < 0 || bytes > MOST_BYTES) throw new RangeError(`An answer of ${bytes} bytes`);
    this.answer = Buffer.allocUnsafe(SIZE_BYTES + bytes);
    this.size.copy(this.answer);
  }

  private finish(answer: Buffer): void {
    this.answer = undefined;
    this.end = 0;
    this.onAnswer(answer);
  }
}

/** Of all sockets: what is read is copied before the next read. */
let readInto: Buffer | undefined;

/**
 * A connection of one who reads megabytes: each answer is one piece of data. Otherwise each 64 KiB of it are new memory,
 * which V8 counts as the heap's.
 */
export function connectInWholeAnswers(host: string, port: number, onConnect: () => void): Socket {
  readInto ??= Buffer.allocUnsafeSlow(READ_BYTES);
  const gatherer = new AnswerGatherer((answer) => socket.emit('data', answer));
  const callback = (bytes: number, buffer: Uint8Array): boolean => {
    try {
      gatherer.take(Buffer.from(buffer.buffer, buffer.byteOffset, bytes));
      return true;
    } catch (error) {
      socket.destroy(error instanceof Error ? error : new Error(String(error)));
      return false;
    }
  };
  const socket = connect({ host, port, onread: { buffer: readInto, callback } }, onConnect);
  return socket;
}

/** The relevant part of the driver's connection. */
interface Connection {
  chunks: Buffer[];
  readonly bytesBuffered: number;
  processData(piece: Buffer): void;
}

export type ConnectionClass = abstract new (...options: never[]) => Connection;

/** The driver keeps the empty rest of an answer, and copies the next one to join both. */
export function withoutEmptyRests<C extends ConnectionClass>(connection: C): C {
  const prototype = connection.prototype as Connection;
  const { processData } = prototype;
  prototype.processData = function (piece) {
    if (this.bytesBuffered === 0) this.chunks = [];
    processData.call(this, piece);
  };
  return connection;
}
