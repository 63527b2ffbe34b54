// Assembles only the files that one service needs at run time: assemble.mjs <service> <folder>
//
// The folder holds the compiled service as one bundle, the compiled files of its other programs and of the libraries that they
// depend on, their production dependencies as the lockfile says, the Node binary of the lockfile, and `sbom.cdx.json`, which lists every package (CycloneDX). The
// Dockerfile runs it, and a test runs the same file in an empty folder. Plain JavaScript: it needs no build.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleImage } from '../../tools/bundle-services.mjs';

const SCOPE = '@truetally/';
/** The npm that Node 24.11 brings forgets the overrides of package.json, and refuses to write the bill then. */
const NPM = 'npm@11.19.1';
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** Files that no process reads at run time: types, source maps, documentation, tests. */
const DROPPED_EXTENSIONS = new Set([
  '.map',
  '.ts',
  '.mts',
  '.cts',
  '.md',
  '.markdown',
  '.tsbuildinfo',
  '.flow',
]);
const DROPPED_FOLDERS = new Set([
  'test',
  'tests',
  '__tests__',
  'docs',
  'example',
  'examples',
  'benchmark',
  '.github',
]);
/** Builds for browsers and bundlers, which Node does not load. */
const DROPPED_PATHS = [
  'typeorm/browser',
  'class-validator/esm5',
  'class-validator/esm2015',
  'class-validator/bundles',
];
/** Ours are not built into `dist`; some packages publish theirs. */
const TESTS = /\.spec\.js$/;

const [service, target] = process.argv.slice(2);
if (service === undefined || target === undefined) stop('Say which service, and the folder to fill.');
const app = join('apps', service);
if (!existsSync(join(root, app, 'dist', 'main.js'))) stop(`${app} is not built.`);
const out = resolve(target);
if (existsSync(out) && readdirSync(out).length > 0) stop(`${out} is not empty.`);

const workspaces = [app, ...librariesOf(app)];
for (const workspace of workspaces) copyWorkspace(workspace);
writeRootPackage();
installProductionDependencies();
writeBillOfMaterials();
prune(join(out, 'node_modules'));
await bundleImage(service, out);
copyNode();
// The same path in every image, whichever service is inside.
symlinkSync(app, join(out, 'service'));
rmSync(join(out, '.npmrc'));

/** The libraries of this repository that a workspace needs at run time, without repetitions, in any order. */
function librariesOf(workspace) {
  const found = new Set();
  const visit = (folder) => {
    for (const name of Object.keys(packageOf(folder).dependencies ?? {})) {
      if (!name.startsWith(SCOPE)) continue;
      const library = join('libs', name.slice(SCOPE.length));
      if (found.has(library)) continue;
      found.add(library);
      visit(library);
    }
  };
  visit(workspace);
  return [...found];
}

function packageOf(folder) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
}

/** Its compiled files, and a package.json without development dependencies. */
function copyWorkspace(workspace) {
  mkdirSync(join(out, workspace), { recursive: true });
  writeJson(join(out, workspace, 'package.json'), { ...packageOf(workspace), devDependencies: undefined });
  cpSync(join(root, workspace, 'dist'), join(out, workspace, 'dist'), {
    recursive: true,
    filter: (path) => !isDropped(path),
  });
}

/** Lists only these workspaces, so that npm installs nothing for others. */
function writeRootPackage() {
  const { name, version, license, type, overrides } = packageOf('.');
  writeJson(join(out, 'package.json'), {
    name,
    version,
    private: true,
    license,
    type,
    workspaces,
    overrides,
  });
  for (const file of ['package-lock.json', '.npmrc']) cpSync(join(root, file), join(out, file));
}

function installProductionDependencies() {
  npm('ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund');
}

function writeBillOfMaterials() {
  const bill = JSON.parse(npm('sbom', '--sbom-format=cyclonedx', '--omit=dev'));
  bill.components.push(runtimeComponent());
  writeJson(join(out, 'sbom.cdx.json'), bill);
  rmSync(join(out, 'package-lock.json'));
}

/** Node is no package of the production dependencies, and yet what runs them. The base's packages are in the image's own bill. */
function runtimeComponent() {
  const { version } = packageOf(join('node_modules', 'node'));
  return {
    'bom-ref': `node@${version}`,
    type: 'application',
    name: 'node',
    version,
    licenses: [{ license: { id: 'MIT' } }],
    purl: `pkg:github/nodejs/node@v${version}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:-:*:*:*`,
  };
}

function npm(...args) {
  return execFileSync('npm', ['exec', '--yes', `--package=${NPM}`, '--', 'npm', ...args], {
    cwd: out,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1 << 26,
  });
}

function prune(modules) {
  for (const path of DROPPED_PATHS) rmSync(join(modules, path), { recursive: true, force: true });
  const visit = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) continue;
      if (entry.isDirectory() && DROPPED_FOLDERS.has(entry.name) && existsSync(join(folder, 'package.json')))
        rmSync(path, { recursive: true });
      else if (entry.isDirectory()) visit(path);
      else if (isDropped(path)) rmSync(path);
    }
  };
  visit(modules);
}

function isDropped(path) {
  if (/^licen[cs]e/i.test(basename(path))) return false;
  return DROPPED_EXTENSIONS.has(extname(path)) || TESTS.test(path);
}

/** The Node of the tests, which the installation verified by the hash in the lockfile. */
function copyNode() {
  mkdirSync(join(out, 'bin'));
  cpSync(join(root, 'node_modules', 'node', 'bin', 'node'), join(out, 'bin', 'node'));
  for (const program of ['health-check.mjs', 'try-product.mjs'])
    cpSync(join(root, 'docker', 'build', program), join(out, 'bin', program));
}

function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

function stop(reason) {
  console.error(reason);
  process.exit(1);
}
