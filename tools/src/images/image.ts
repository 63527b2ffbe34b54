import { chownSync, mkdirSync } from 'node:fs';
import { type ServiceName } from '@truetally/contracts/services';
import { type ManagedProcess } from '@truetally/processes';
import { type Environment } from '@truetally/testing-product';

/** Of services, and of the pages, which are no service of the catalogue. */
export type ImageName = ServiceName | 'dashboard';

/** One service's image, however it was made, and what a platform does with it. */
export interface Image<Name extends ImageName = ServiceName> {
  readonly service: Name;
  /** Starts one of its programs with this configuration, as its unprivileged user. */
  start(program: ImageProgram, env: Environment, files: MountedFiles): Promise<ImageProcess>;
}

/** An image whose content and size were checked. */
export interface CheckedImage<Name extends ImageName = ServiceName> extends Image<Name> {
  /** Size with the base image. */
  readonly mebibytes: number;
  /** Number of packages in its bill of materials. */
  readonly packages: number;
}

/** `migrate` ends by itself, `main` serves until SIGTERM. */
export type ImageProgram = 'migrate' | 'main';

/** What a platform puts beside an image's own files, at the same paths as on this machine. */
export interface MountedFiles {
  readonly readable: readonly string[];
  readonly writable: readonly string[];
}

/** A running program of an image. */
export interface ImageProcess {
  readonly process: ManagedProcess;
  /** Runs the image's health check beside it. @returns its exit code */
  checkHealth(): Promise<number | null>;
  kill(): Promise<void>;
}

/** The user of the images, when we may become it. */
export const IMAGE_USER = process.getuid?.() === 0 ? { uid: 65_532, gid: 65_532 } : null;

/** A folder that the user of the images can write into. */
export function writableFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  if (IMAGE_USER !== null) chownSync(folder, IMAGE_USER.uid, IMAGE_USER.gid);
}
