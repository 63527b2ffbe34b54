import { resolve } from 'node:path';
import { DiskStore } from './disk-store.js';
import { type ObjectStore } from './object-store.js';
import { type S3Options } from './s3-store.js';

/** Where objects are stored: a folder, or an S3-compatible bucket. */
export type ObjectStoreOptions =
  { readonly kind: 'disk'; readonly directory: string } | ({ readonly kind: 's3' } & S3Options);

/** The S3 SDK costs 35 MiB of memory, so that only processes that need it load it. */
export async function openObjectStore(options: ObjectStoreOptions): Promise<ObjectStore> {
  if (options.kind === 'disk') return new DiskStore(resolve(options.directory));
  const { S3Store } = await import('./s3-store.js');
  return new S3Store(options);
}
