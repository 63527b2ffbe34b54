import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Drafts } from './drafts.js';
import {
  checkKey,
  isKey,
  type Draft,
  type ObjectDescription,
  type ObjectStore,
  OPEN_OBJECTS_LIMIT,
  type OpenedObject,
  StoreUnavailableError,
} from './object-store.js';

export interface S3Options {
  readonly bucket: string;
  readonly region: string;
  /** Of a store other than Amazon's. */
  readonly endpoint?: string | undefined;
  /** Default: the platform's credentials of the process: a role, a profile, the usual variables. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
  /** `https://host/bucket/key` instead of `https://bucket.host/key`, as most other stores require. */
  readonly isPathStyle: boolean;
  readonly answerTimeoutMs?: number;
  readonly silenceTimeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 3_000;
/** Of one attempt, until the first byte of the response. */
const ANSWER_TIMEOUT_MS = 10_000;
/** Without traffic. Not shorter, because a slow reader of a body keeps its connection as silent. */
const SILENCE_TIMEOUT_MS = 30_000;
/** Of a body on its way there, which is ended earlier where it falls silent. */
const SLOWEST_BYTES_PER_MS = 64;
/** An open object occupies its connection. */
const MAX_CONNECTIONS = 2 * OPEN_OBJECTS_LIMIT;
const ATTEMPTS = 3;
const NOT_FOUND_STATUS = 404;
const NOT_SATISFIABLE_STATUS = 416;
const DRAFTS_FOLDER = 'truetally-drafts';

/** The SDK would write to the console; errors are thrown anyway. */
const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/**
 * Stores objects in a bucket of any S3-compatible store. A put requires the length first, and a part of a
 * multipart upload 5 MiB of memory. A draft on the local disk avoids both, and an interrupted upload never
 * reaches the bucket.
 */
export class S3Store implements ObjectStore {
  private readonly client: S3Client;
  private readonly drafts = new Drafts(join(tmpdir(), DRAFTS_FOLDER));

  constructor(private readonly options: S3Options) {
    const { endpoint, credentials, region, isPathStyle } = options;
    const { answerTimeoutMs = ANSWER_TIMEOUT_MS, silenceTimeoutMs = SILENCE_TIMEOUT_MS } = options;
    this.client = new S3Client({
      region,
      forcePathStyle: isPathStyle,
      maxAttempts: ATTEMPTS,
      logger: SILENT,
      requestHandler: {
        connectionTimeout: CONNECT_TIMEOUT_MS,
        requestTimeout: answerTimeoutMs,
        // Without it the SDK would only warn.
        throwOnRequestTimeout: true,
        socketTimeout: silenceTimeoutMs,
        httpAgent: { maxSockets: MAX_CONNECTIONS },
        httpsAgent: { maxSockets: MAX_CONNECTIONS },
      },
      // Some compatible stores do not support the newer checksums; the length and the transport's own are
      // checked anyway.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(credentials === undefined ? {} : { credentials }),
    });
  }

  async draft(): Promise<Draft> {
    const path = await this.drafts.create();
    const discard = (): Promise<void> => rm(path, { force: true });
    const publish = async (key: string): Promise<void> => {
      const checked = checkKey(key);
      await this.guard(async () => this.put(checked, path, (await stat(path)).size));
      await discard();
    };
    return { path, publish, discard };
  }

  open(key: string, fromByte = 0): Promise<OpenedObject | undefined> {
    const range = fromByte === 0 ? {} : { Range: `bytes=${fromByte}-` };
    const command = new GetObjectCommand({ ...this.at(key), ...range });
    return this.orMissing(async () => {
      try {
        const { Body: body, LastModified: storedAt, ...sizes } = await this.client.send(command);
        if (!(body instanceof Readable)) throw new TypeError('The store gave no body.');
        if (fromByte > 0 && sizes.ContentRange === undefined) {
          body.destroy();
          throw new TypeError('The store gave the whole object for its rest.');
        }
        const bytes = fromByte + (sizes.ContentLength ?? 0);
        return { key, bytes, storedAtMs: storedAt?.getTime() ?? 0, body };
      } catch (error) {
        if (!isBehindTheEnd(error)) throw error;
        const described = await this.describe(key);
        return described && { ...described, body: Readable.from([]) };
      }
    });
  }

  describe(key: string): Promise<ObjectDescription | undefined> {
    const command = new HeadObjectCommand(this.at(key));
    return this.orMissing(async () => {
      const { ContentLength: bytes, LastModified: storedAt } = await this.client.send(command);
      return { key, bytes: bytes ?? 0, storedAtMs: storedAt?.getTime() ?? 0 };
    });
  }

  async delete(key: string): Promise<void> {
    const command = new DeleteObjectCommand(this.at(key));
    await this.orMissing(() => this.client.send(command));
  }

  async *list(folder: string): AsyncIterable<ObjectDescription> {
    const Prefix = `${checkKey(folder)}/`;
    let token: string | undefined;
    do {
      const page = new ListObjectsV2Command({
        Bucket: this.options.bucket,
        Prefix,
        ContinuationToken: token,
      });
      const { Contents: contents, NextContinuationToken: next } = await this.guard(() =>
        this.client.send(page),
      );
      for (const { Key: key, Size: bytes, LastModified: storedAt } of contents ?? []) {
        if (key === undefined || !isKey(key)) continue;
        yield { key, bytes: bytes ?? 0, storedAtMs: storedAt?.getTime() ?? 0 };
      }
      token = next;
    } while (token !== undefined);
  }

  removeDraftsBefore(timeMs: number): Promise<void> {
    return this.guard(() => this.drafts.removeBefore(timeMs));
  }

  close(): Promise<void> {
    this.client.destroy();
    return Promise.resolve();
  }

  private async put(key: string, path: string, bytes: number): Promise<void> {
    const body = createReadStream(path);
    const stop = new AbortController();
    // The SDK does not notice a file that becomes unreadable, and would wait for the rest of it.
    body.on('error', () => stop.abort());
    const command = new PutObjectCommand({ ...this.at(key), Body: body, ContentLength: bytes });
    // Nor does it notice an answer that takes the connection for another protocol (101), or that it closes then.
    const requestTimeout =
      (this.options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS) + Math.ceil(bytes / SLOWEST_BYTES_PER_MS);
    try {
      await this.client.send(command, { abortSignal: stop.signal, requestTimeout });
    } catch (error) {
      throw body.errored ?? error;
    } finally {
      body.destroy();
    }
  }

  private at(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.options.bucket, Key: checkKey(key) };
  }

  private async orMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (isMissingObject(error)) return undefined;
      throw unavailable(error);
    }
  }

  private async guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw unavailable(error);
    }
  }
}

/** A missing bucket is a configuration error, not a missing object. */
function isMissingObject(error: unknown): boolean {
  if (!(error instanceof S3ServiceException)) return false;
  return error.$metadata.httpStatusCode === NOT_FOUND_STATUS && error.name !== 'NoSuchBucket';
}

function isBehindTheEnd(error: unknown): boolean {
  return error instanceof S3ServiceException && error.$metadata.httpStatusCode === NOT_SATISFIABLE_STATUS;
}

function unavailable(error: unknown): StoreUnavailableError {
  return new StoreUnavailableError('The bucket cannot be used.', { cause: error });
}

function ignore(): void {
  // Nothing is lost: see SILENT.
}
