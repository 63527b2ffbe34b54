import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT_FLAGS } from '@truetally/processes';
import { type ImageConfiguration, startContainer } from './container.js';
import { type CheckedImage, type ImageName } from './image.js';
import { checkContent, checkSize } from './image-content.js';

const NODE = '/app/bin/node';
const EXPECTED = {
  User: '65532:65532',
  Entrypoint: [NODE, ...EXIT_FLAGS],
  WorkingDir: '/app',
  StopSignal: 'SIGTERM',
  Healthcheck: ['CMD', NODE, '/app/bin/health-check.mjs'],
};
const PROGRAM_FOLDERS = ['bin', 'sbin', 'usr/bin', 'usr/sbin', 'usr/local/bin', 'usr/local/sbin', 'app/bin'];
const SHELLS = ['sh', 'ash', 'bash', 'busybox', 'dash', 'ksh', 'zsh'];

/**
 * Checks an image that tools/images/build.sh has built: its configuration, its size and what it holds.
 * @param built has its folder with `image.json`, as Buildah describes it, and `root`, its files
 * @throws when it is not as docker/Dockerfile wants it
 */
export function openBuiltImage<Name extends ImageName>(built: string, service: Name): CheckedImage<Name> {
  const folder = join(built, service);
  const root = realpathSync(join(folder, 'root'));
  const configuration = configurationOf(service, join(folder, 'image.json'));
  const shell = PROGRAM_FOLDERS.flatMap((path) => SHELLS.map((name) => join(path, name))).find((path) =>
    existsSync(join(root, path)),
  );
  if (shell !== undefined) throw new Error(`The image of ${service} holds a shell, ${shell}.`);
  const packages = checkContent(service, join(root, 'app'));
  const mebibytes = checkSize(service, root);
  return {
    service,
    mebibytes,
    packages,
    start: (program, env, files) => {
      const args = program === 'main' ? configuration.Cmd : [`service/dist/${program}.js`];
      return startContainer({
        name: `${service}-${program}`,
        folder: built,
        root,
        configuration,
        args,
        env,
        files,
      });
    },
  };
}

function configurationOf(service: ImageName, file: string): ImageConfiguration {
  const described = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly Docker: { readonly config: ImageConfiguration };
  };
  const { config } = described.Docker;
  const found = {
    User: config.User,
    Entrypoint: config.Entrypoint,
    WorkingDir: config.WorkingDir,
    StopSignal: config.StopSignal,
    Healthcheck: config.Healthcheck?.Test,
  };
  if (JSON.stringify(found) !== JSON.stringify(EXPECTED))
    throw new Error(`The image of ${service} is configured as ${JSON.stringify(found)}.`);
  return config;
}
