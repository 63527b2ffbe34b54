import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An S3-compatible server with one bucket, and how to reach it. */
export interface S3Server {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  /** The only pair that it accepts. */
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Also removes what was stored. */
  stop(): Promise<void>;
}

const BUCKET = 'truetally-test';
const REGION = 'eu-central-1';
/** Built into s3rver. */
const CREDENTIAL = 'S3RVER';

/**
 * Starts an S3-compatible server in this process, on a free port of loopback.
 * @param folders in which objects are stored and deleted concurrently: the server removes a folder whose last
 * object it deletes, with whatever was stored there meanwhile
 */
export async function startS3Server(folders: readonly string[] = []): Promise<S3Server> {
  // Loaded only where it is needed: it takes a quarter of a second.
  const { default: S3rver } = await import('@20minutes/s3rver');
  const directory = await mkdtemp(join(tmpdir(), 'truetally-s3-'));
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    directory,
    silent: true,
    // Its signature differs from AWS' for requests about a bucket, whose path ends with a slash.
    allowMismatchedSignatures: true,
    configureBuckets: [{ name: BUCKET }],
  });
  const { port } = await server.run();
  for (const folder of folders) {
    await mkdir(join(directory, BUCKET, folder), { recursive: true });
    await writeFile(join(directory, BUCKET, folder, 'no-object'), '');
  }
  return {
    endpoint: `http://127.0.0.1:${port}`,
    bucket: BUCKET,
    region: REGION,
    accessKeyId: CREDENTIAL,
    secretAccessKey: CREDENTIAL,
    stop: async () => {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
