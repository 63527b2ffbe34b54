import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { BODY_PATH } from '@truetally/contracts/validation';
import { fail, type FieldErrors, type Result, succeed } from '@truetally/kernel';
import type { RefusalName } from '../http/errors.js';

export interface FormRules {
  /** The form's one field, a file. */
  readonly field: string;
  readonly fileLimitBytes: number;
  /** Of the whole form, with what surrounds the file. */
  readonly formLimitBytes: number;
  readonly timeoutMs: number;
}

/** A completely received file at its destination. */
export interface FormFile {
  /** Of its content, hex. */
  readonly sha256: string;
}

export type FormFault = Extract<
  RefusalName,
  | 'body-too-large'
  | 'broken-form'
  | 'broken-rules'
  | 'incomplete-body'
  | 'slow-body'
  | 'unavailable'
  | 'unsupported-form'
>;

export interface FormRefusal {
  readonly name: FormFault;
  readonly details?: FieldErrors;
}

type Received = Result<FormFile, FormRefusal>;

const MEBIBYTE = 1024 * 1024;
/** Enough to report a client's mistake, and few enough to cost nothing. */
const MAX_PARTS = 8;
const PART_LIMITS = {
  headerSize: 8 * 1024,
  headerPairs: 16,
  fieldSize: 1024,
  fields: MAX_PARTS,
  files: MAX_PARTS,
};
const MAX_NAME_CHARACTERS = 100;
const FORM = /^multipart\/form-data\s*;/i;

/**
 * Streams the only file of a multipart form to a path, with only a piece of it in memory. Never rejects:
 * client errors are values.
 */
export function receiveFormFile(request: IncomingMessage, path: string, rules: FormRules): Promise<Received> {
  if (Number(request.headers['content-length'] ?? 0) > rules.formLimitBytes) return refused(tooLarge(rules));
  const parser = parserFor(request, rules);
  if (parser === undefined) return refused({ name: 'unsupported-form' });
  return new FormReading(request, parser, path, rules).result;
}

function refused(refusal: FormRefusal): Promise<Received> {
  return Promise.resolve(fail(refusal));
}

/** Undefined without a form, or without its boundary. */
function parserFor({ headers }: IncomingMessage, { fileLimitBytes }: FormRules): BusboyInstance | undefined {
  const type = headers['content-type'] ?? '';
  const encoding = headers['content-encoding'] ?? 'identity';
  // Pictures are already compressed.
  if (!FORM.test(type) || encoding.trim().toLowerCase() !== 'identity') return undefined;
  try {
    return new Busboy({
      headers: { 'content-type': type },
      isPartAFile: (_field, _type, fileName) => fileName !== undefined,
      limits: { ...PART_LIMITS, parts: MAX_PARTS, fileSize: fileLimitBytes },
    });
  } catch {
    return undefined;
  }
}

/** The state of a form that is being read. It ends with the first permanent error, or with the form. */
class FormReading {
  readonly result: Promise<Received>;
  private resolve: (received: Received) => void = () => undefined;
  private readonly errors = new Map<string, Set<string>>();
  private readonly stopWriting = new AbortController();
  private file: Promise<Received> | undefined;
  private receivedBytes = 0;

  constructor(
    private readonly request: IncomingMessage,
    private readonly parser: BusboyInstance,
    private readonly path: string,
    private readonly rules: FormRules,
  ) {
    const settled = new Promise<Received>((resolve) => (this.resolve = resolve));
    const timer = setTimeout(() => this.refuse({ name: 'slow-body' }), rules.timeoutMs);
    this.listen();
    this.result = settled.then((received) => {
      clearTimeout(timer);
      return this.end(received);
    });
  }

  private listen(): void {
    const { request, parser } = this;
    parser.on('file', (name: string | undefined, content: Readable) => this.takeFile(name, content));
    parser.on('field', (name: string | undefined) => this.nameError(name, 'must be a file'));
    parser.on('partsLimit', () =>
      this.refuse({
        name: 'broken-rules',
        details: { [BODY_PATH]: ['must hold one file and nothing else'] },
      }),
    );
    parser.on('error', () => this.refuse({ name: 'broken-form' }));
    parser.on('finish', () => void this.finish());
    request.on('data', this.count);
    request.on('close', this.whenClosed).on('error', this.whenClosed);
    request.pipe(parser);
  }

  private readonly count = (chunk: Buffer): void => {
    this.receivedBytes += chunk.length;
    if (this.receivedBytes > this.rules.formLimitBytes) this.refuse(tooLarge(this.rules));
  };

  private readonly whenClosed = (): void => {
    if (!this.request.complete) this.refuse({ name: 'incomplete-body' });
  };

  private takeFile(name: string | undefined, content: Readable): void {
    // For a form that ends in the middle of a file, which the parser also reports for the form.
    content.on('error', () => undefined);
    if (name === this.rules.field && this.file === undefined) {
      content.once('limit', () => this.refuse(tooLarge(this.rules)));
      this.file = this.write(content);
      return;
    }
    this.nameError(name, 'must be given once');
    content.resume();
  }

  private nameError(name: string | undefined, ifKnown: string): void {
    const path = name?.slice(0, MAX_NAME_CHARACTERS).toWellFormed() ?? BODY_PATH;
    const message = name === this.rules.field ? ifKnown : 'is not a known field';
    this.errors.set(path, (this.errors.get(path) ?? new Set()).add(message));
  }

  private async write(content: Readable): Promise<Received> {
    const hash = createHash('sha256');
    const hashing = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        hash.update(chunk);
        done(null, chunk);
      },
    });
    const { signal } = this.stopWriting;
    try {
      await pipeline(content, hashing, createWriteStream(this.path), { signal });
      return succeed({ sha256: hash.digest('hex') });
    } catch {
      // A disk error, or this reading was already ended for a reported reason.
      const refusal: FormRefusal = { name: 'unavailable' };
      this.refuse(refusal);
      return fail(refusal);
    }
  }

  private async finish(): Promise<void> {
    const file = await this.file;
    if (file === undefined && !this.errors.has(this.rules.field)) {
      this.errors.set(this.rules.field, new Set(['is required']));
    }
    if (this.errors.size === 0 && file !== undefined) return this.resolve(file);
    const details = Object.fromEntries([...this.errors].map(([name, messages]) => [name, [...messages]]));
    this.refuse({ name: 'broken-rules', details });
  }

  private refuse(refusal: FormRefusal): void {
    this.resolve(fail(refusal));
  }

  /** Releases the request, the parser and the file before the answer. */
  private async end(received: Received): Promise<Received> {
    const { request, parser } = this;
    request.off('data', this.count).off('close', this.whenClosed).off('error', this.whenClosed);
    request.unpipe(parser);
    this.stopWriting.abort();
    if (!received.ok) parser.destroy();
    await this.file;
    return received;
  }
}

function tooLarge({ field, fileLimitBytes }: FormRules): FormRefusal {
  return {
    name: 'body-too-large',
    details: { [field]: [`must be at most ${fileLimitBytes / MEBIBYTE} MiB`] },
  };
}
