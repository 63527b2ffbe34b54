// Bundles the services, so that each starts from a few files and not from two thousand (docs/decisions/bundles.md):
// `dist/apps/<app>/dist/main.js` is `apps/<app>/dist/main.js` with everything that it loads. Run after `tsc -b`. Plain
// JavaScript: it needs no build, and an image's build runs it, too.
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';

const root = dirname(import.meta.dirname);
const target = join(root, 'dist');
/** What the bundles were made of, when, and their files: from the root, so that a copy of the repository compares its own. */
const record = join(target, '.bundled.json');
/** The versions of every package, and of the bundler, are in it. */
const LOCKFILE = join(root, 'package-lock.json');
/** Ours, compiled: the only ones whose own place matters, and whose changes the lockfile does not tell. */
const OWN = /[/\\](?:apps|libs)[/\\][^/\\]+[/\\]dist[/\\].*\.js$/;

const TYPEORM = 'typeorm';
/** Stay files of their own, and are loaded from node_modules. */
const EXTERNAL = [
  // Its inner modules are replaced one by one before it loads (libs/messaging, driver-speed).
  'kafkajs',
  // Every decorator needs it before anything else, whatever the order of chunks.
  'reflect-metadata',
  // Native.
  'sharp',
  // Loaded only where a store is configured.
  '@aws-sdk/*',
  // Loaded by migrations only.
  TYPEORM,
  // What others would load if somebody had installed them.
  ...['pg-native', 'class-transformer', 'class-transformer/*', '@nestjs/websockets', '@nestjs/websockets/*'],
  ...['ioredis', 'mqtt', 'amqp-connection-manager', '@nats-io/transport-node'],
];
/** Of numbers in a map: six bits each. */
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** Stands for the way from a bundle to the repository's root, until it is known where it is written. */
const HERE = 'file:///repository/';

/**
 * CommonJS packages ask for Node's own modules by `require`. Of an error the log names our source and its line, by the
 * maps beside the chunks.
 */
const BANNER =
  "import { createRequire as requireOf } from 'node:module'; " +
  'const require = requireOf(import.meta.url); process.setSourceMapsEnabled(true);';

if (import.meta.main) await bundleAll();

/** For this machine: what several services load is bundled once, in chunks that they share. */
async function bundleAll() {
  // `serve.js`: tests run several services in one process.
  const services = programsIn('apps/*/dist', ['main.js', 'serve.js']);
  const migrations = programsIn('apps/*/dist', ['migrate.js']);
  const programs = [...services, ...migrations];
  const former = readRecord();
  // Each command of the repository asks for it.
  if (former !== undefined && !isOutdated(former, programs)) return;
  const begunMs = Date.now();
  const place = { outbase: root, outdir: target, home: root };
  const bundled = [
    await bundle({ programs: services, ...place }),
    // Apart: what they share with services would split these into ten files more each.
    await bundle({ programs: migrations, ...place, external: EXTERNAL.filter((name) => name !== TYPEORM) }),
  ];
  const files = bundled.flatMap((one) => one.files);
  const own = new Set(bundled.flatMap((one) => one.own));
  const fromRoot = (paths) => paths.map((path) => relative(root, path));
  const made = {
    begunMs,
    programs,
    sources: fromRoot([import.meta.filename, LOCKFILE, ...own]),
    files: fromRoot(files),
  };
  put(record, JSON.stringify(made));
  removeOthers(new Set([...made.files, ...(former?.files ?? [])]));
}

/**
 * For an image: its service's programs are replaced by their bundles.
 * @param home the image's root, which has the compiled files at the same places as the repository
 */
export async function bundleImage(app, home) {
  const programs = programsIn(join('apps', app, 'dist'), ['main.js']);
  const dist = join('apps', app, 'dist');
  await bundle({ programs, outbase: join(root, dist), outdir: join(home, dist), home });
}

/** Also `dist/outbound/main.js`: an app may have two services. */
function programsIn(dist, names) {
  return globSync(
    names.flatMap((name) => [`${dist}/${name}`, `${dist}/*/${name}`]),
    { cwd: root },
  ).toSorted();
}

function readRecord() {
  try {
    return JSON.parse(readFileSync(record, 'utf8'));
  } catch {
    // None yet, or half of one.
    return undefined;
  }
}

function isOutdated({ begunMs, programs, sources, files }, wanted) {
  const isChanged = (file) =>
    (statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? Infinity) >= begunMs;
  return (
    String(programs) !== String(wanted) ||
    sources.some(isChanged) ||
    !files.every((file) => existsSync(join(root, file)))
  );
}

async function bundle({ programs, outbase, outdir, home, external = EXTERNAL }) {
  const { build } = await import('esbuild');
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: programs,
    outbase,
    outdir,
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: ['node24'],
    external,
    banner: { js: BANNER },
    plugins: [{ name: 'own-places', setup: keepPlaces }],
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    metafile: true,
    write: false,
  });
  const ours = (inputs) =>
    Object.keys(inputs)
      .map((file) => join(root, file))
      .filter((file) => OWN.test(file));
  const mapped = new Set(
    Object.entries(metafile.outputs)
      .filter(([, { inputs }]) => ours(inputs).length > 0)
      .map(([file]) => join(root, file)),
  );
  // A map is read and measured when its chunk is loaded: those of packages alone are left out.
  const written = outputFiles.filter(
    ({ path }) => !path.endsWith('.map') || mapped.has(path.slice(0, -'.map'.length)),
  );
  for (const { path, text } of written) {
    if (path.endsWith('.map')) {
      put(path, ofLines(text));
      continue;
    }
    const placed = text.replaceAll(HERE, `${relative(dirname(path), home)}/`);
    put(path, mapped.has(path) ? placed : placed.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'));
  }
  return { files: written.map(({ path }) => path), own: ours(metafile.inputs) };
}

/**
 * Of a map one place for each line: it says whose line a stack names, for a fifth of what the first error of a process takes to read
 * it and of what it keeps. (Each place is the difference from the one before, in base 64 with the sign last.)
 */
function ofLines(map) {
  const { mappings, ...parts } = JSON.parse(map);
  // Of the last place that was read, and of the last one that was written: source, line, column.
  const read = [0, 0, 0];
  const written = [0, 0, 0];
  const lines = mappings.split(';').map((line) => {
    let first = '';
    for (const place of line === '' ? [] : line.split(',')) {
      const [, ...steps] = numbersOf(place);
      if (steps.length === 0) continue;
      for (const index of read.keys()) read[index] += steps[index];
      if (first !== '') continue;
      first = `A${read.map((value, index) => digitsOf(value - written[index])).join('')}`;
      written.splice(0, read.length, ...read);
    }
    return first;
  });
  return JSON.stringify({ ...parts, names: [], mappings: lines.join(';') });
}

function numbersOf(place) {
  const numbers = [];
  let value = 0;
  let shift = 0;
  for (const character of place) {
    const digit = DIGITS.indexOf(character);
    value += (digit & 31) << shift;
    shift += 5;
    if (digit >= 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    value = 0;
    shift = 0;
  }
  return numbers;
}

function digitsOf(number) {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1;
  let digits = '';
  for (; rest > 31; rest >>>= 5) digits += DIGITS[(rest & 31) | 32];
  return digits + DIGITS[rest];
}

/** A file that reads another one beside it finds it where it was. */
function keepPlaces({ onLoad }) {
  onLoad({ filter: OWN }, ({ path }) => {
    const source = readFileSync(path, 'utf8');
    const place = (file) => `new URL(${JSON.stringify(HERE + relative(root, file))}, import.meta.url)`;
    const contents = source.replaceAll(/import\.meta\.(url|dirname)\b/g, (_, asked) =>
      asked === 'url'
        ? `${place(path)}.href`
        : `process.getBuiltinModule('url').fileURLToPath(${place(dirname(path))})`,
    );
    return { contents };
  });
}

/** Renamed into place: a service that starts meanwhile reads a whole file. */
function put(path, contents) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, contents);
  renameSync(`${path}.new`, path);
}

/** Those of the build before stay: a service that runs may load a part of itself later. */
function removeOthers(kept) {
  for (const file of globSync('*.js{,.map}', { cwd: target })) {
    if (!kept.has(relative(root, join(target, file)))) rmSync(join(target, file), { force: true });
  }
}
