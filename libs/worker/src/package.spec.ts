import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  eventually,
  ManagedProcess,
  NODE_BINARY,
  programEnvironment,
  REPOSITORY_ROOT,
} from '@truetally/testing';

const FOLDER = join(REPOSITORY_ROOT, 'libs', 'worker');
const CLIENT = join(REPOSITORY_ROOT, 'libs', 'node-sdk', 'dist', 'bundle', 'index.mjs');
const TSC = join(REPOSITORY_ROOT, 'node_modules', 'typescript', 'bin', 'tsc');

let project: string;
let target: string;

/** An empty project with the packed file and its one dependency: what the package does not bring is missing there. */
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'truetally-worker-'));
  execFileSync(NODE_BINARY, [join(FOLDER, 'bundle.mjs')]);
  const options = { cwd: FOLDER, encoding: 'utf8' } as const;
  const packed = execFileSync(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', project],
    options,
  );
  const [{ filename }] = JSON.parse(packed) as [{ readonly filename: string }];
  target = join(project, 'node_modules', '@truetally', 'worker');
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['-xzf', join(project, filename), '--strip-components=1', '-C', target]);
  for (const name of ['kafkajs', 'pg'])
    symlinkSync(join(REPOSITORY_ROOT, 'node_modules', name), join(project, 'node_modules', name));
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
});

afterAll(() => {
  rmSync(project, { recursive: true, force: true });
});

describe('the packed worker kit', () => {
  it('the packed worker kit needs kafkajs and nothing else', () => {
    const { dependencies } = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    expect(Object.keys(dependencies)).toEqual(['kafkajs']);
    const program = `import * as kit from '@truetally/worker';
      const options = { brokers: ['127.0.0.1:9'], group: 'g', once: kit.keyed(), handlers: { sites: async () => {} } };
      const odd = [{ handlers: {} }, { handlers: { site: async () => {} } }, { brokers: [] }, { group: '' }, { once: undefined },
        { handlers: { sites: 'none' } }, { maxAttempts: Number(undefined) }];
      const refused = await Promise.all(odd.map((one) =>
        kit.startWorker({ ...options, ...one }).catch((error) => error.message)));
      console.log(JSON.stringify([Object.keys(kit).sort(), refused]));`;
    writeFileSync(join(project, 'index.mjs'), program);
    // The condition is one that development servers and bundlers set; it is to name no file that is not packed.
    const flags = ['--conditions=development'];
    const output = execFileSync(NODE_BINARY, [...flags, 'index.mjs'], { cwd: project, encoding: 'utf8' });
    const [names, refused] = JSON.parse(output) as [readonly string[], readonly string[]];
    expect(names).toEqual(['EffectError', 'RejectedFactError', 'inbox', 'keyed', 'startWorker']);
    expect(refused.map((message) => message.slice(0, message.indexOf(':')))).toEqual([
      'handlers',
      'handlers',
      'brokers',
      'group',
      'once',
      'handlers',
      'maxAttempts',
    ]);
  });

  it('a worker waits at its start for a Postgres that is away, says so, and ends by the signal, beside a client', async () => {
    const program = `import { inbox, startWorker } from '@truetally/worker';
      import pg from 'pg';
      import { Truetally } from ${JSON.stringify(CLIENT)};
      // It listens for signals, too.
      new Truetally({ apiKey: 'ck_abcdefgh_secret', baseUrl: 'http://127.0.0.1:9/api/v1' });
      const say = (fields, message) => console.log(message, JSON.stringify(fields));
      await startWorker({ brokers: ['127.0.0.1:9'], group: 'g', once: inbox(new pg.Pool({ host: '127.0.0.1', port: 9 })),
        handlers: { sites: async () => {} }, log: { debug: say, info: say, warn: say, error: say } });`;
    writeFileSync(join(project, 'waiting.mjs'), program);
    const worker = await ManagedProcess.start({
      name: 'worker',
      command: NODE_BINARY,
      args: [join(project, 'waiting.mjs')],
      env: programEnvironment(),
    });
    await eventually(() => /could not prepare the first effect.*"attempt":1/.test(worker.output()));
    await worker.stop('SIGTERM');
    expect(worker.exitStatus).toEqual({ code: null, signal: 'SIGTERM' });
    expect(worker.output()).toContain('ECONNREFUSED');
    expect(worker.output()).not.toContain('Closed before');
  });

  it('the types of the packed worker kit stand alone, and refuse a field that a fact does not have', () => {
    const worker = (
      field: string,
    ): string => `import { keyed, startWorker, type Facts } from '@truetally/worker';
      export type Settlement = NonNullable<Facts['settlementsChanged']>['status'];
      await startWorker({ brokers: [], group: 'g', once: keyed(), handlers: {
        conversionsRecorded: async (record) => { console.log(record.${field}.length); } } });`;
    writeFileSync(join(project, 'valid.ts'), worker('revenue_delta'));
    writeFileSync(join(project, 'invalid.ts'), worker('revenue'));
    const faults = compile(['valid.ts', 'invalid.ts']);
    expect(faults).toMatch(/^invalid\.ts[^]*'revenue'/);
    expect(faults).not.toMatch(/^valid\.ts/m);
  });

  it('the code of the guide and of the packed README is accepted by these types', () => {
    const pages = [join(REPOSITORY_ROOT, 'docs', 'guides', 'workers.md'), join(target, 'README.md')];
    symlinkSync(join(REPOSITORY_ROOT, 'node_modules', '@types'), join(project, 'node_modules', '@types'));
    for (const [index, page] of pages.entries()) {
      const samples = readFileSync(page, 'utf8').matchAll(/^```ts\n([\s\S]+?)^```/gm);
      // Its blocks build on each other.
      writeFileSync(join(project, `sample-${index}.ts`), [...samples].map(([, code]) => code).join('\n'));
    }
    expect(readFileSync(join(project, 'sample-1.ts'), 'utf8')).toContain('startWorker');
    // The package's own types were checked by the test before.
    expect(compile(['sample-0.ts', 'sample-1.ts'], { types: ['node'], skipLibCheck: true })).toBe('');
  });
});

/** @returns what the compiler says; the language's own library is not checked, which would take half of the time */
function compile(files: readonly string[], more: object = { types: [], skipDefaultLibCheck: true }): string {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022', 'dom'],
    ...more,
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  try {
    execFileSync(NODE_BINARY, [TSC, '-p', '.'], { cwd: project, encoding: 'utf8' });
    return '';
  } catch (error) {
    return String((error as { readonly stdout?: unknown }).stdout);
  }
}
