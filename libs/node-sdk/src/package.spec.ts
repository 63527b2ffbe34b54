import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NODE_BINARY, REPOSITORY_ROOT } from '@truetally/testing';

const FOLDER = join(REPOSITORY_ROOT, 'libs', 'node-sdk');
const TSC = join(REPOSITORY_ROOT, 'node_modules', 'typescript', 'bin', 'tsc');

let project: string;

/** An empty project with the packed file and nothing else: what the package does not bring is missing there. */
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'truetally-project-'));
  execFileSync(NODE_BINARY, [join(FOLDER, 'bundle.mjs')]);
  const options = { cwd: FOLDER, encoding: 'utf8' } as const;
  const packed = execFileSync(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', project],
    options,
  );
  const [{ filename }] = JSON.parse(packed) as [{ readonly filename: string }];
  const target = join(project, 'node_modules', '@truetally', 'node');
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['-xzf', join(project, filename), '--strip-components=1', '-C', target]);
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
});

afterAll(() => {
  rmSync(project, { recursive: true, force: true });
});

describe('the packed client', () => {
  it('the packed client runs where nothing else is installed', () => {
    const program = `import * as sdk from '@truetally/node';
      const client = new sdk.Truetally({ apiKey: 'ck_abcdefgh_secret', baseUrl: 'http://127.0.0.1:9/api/v1', maxAttempts: 1 });
      const { error } = await client.track({ event_type: 'page_view', session_id: 's',
        context: { page_url: 'https://shop.example/', user_agent: 'shop' } });
      console.log(JSON.stringify([Object.keys(sdk).sort(), error.code, sdk.checkConversion({ event_type: 'refund' }).length]));
      await client.close();`;
    writeFileSync(join(project, 'index.mjs'), program);
    const output = execFileSync(NODE_BINARY, ['index.mjs'], { cwd: project, encoding: 'utf8' });
    const [names, code, faults] = JSON.parse(output) as [readonly string[], string, number];
    expect(names).toEqual([
      'Truetally',
      'TruetallyError',
      'VERSION',
      'WebhookVerificationError',
      'checkConversion',
      'convertGa4Payload',
      'convertSegmentCall',
      'verifyWebhook',
    ]);
    expect(code).toBe('NETWORK_ERROR');
    expect(faults).toBeGreaterThan(0);
  });

  it('the packed client runs inside a CommonJS bundle, as backends on functions deploy it', () => {
    writeFileSync(
      join(project, 'function.js'),
      "import { checkConversion } from '@truetally/node'; console.log(checkConversion({}).length > 0);",
    );
    const esbuild = join(REPOSITORY_ROOT, 'node_modules', '.bin', 'esbuild');
    const options = ['--bundle', '--platform=node', '--format=cjs', '--outfile=function.cjs'];
    execFileSync(esbuild, ['function.js', ...options, '--log-level=error'], { cwd: project });
    const output = execFileSync(NODE_BINARY, ['function.cjs'], { cwd: project, encoding: 'utf8' });
    expect(output).toBe('true\n');
  });

  it('the types of the packed client stand alone, and refuse an event without its session', () => {
    const valid = `import { Truetally, type ReadOrderData } from '@truetally/node';
      const client = new Truetally({ apiKey: 'k', baseUrl: 'b' });
      const context = { page_url: 'https://shop.example/', user_agent: 'shop' };
      const result = await client.track({ event_type: 'page_view', session_id: 's', context });
      export const text: string = result.status === 'failed' ? result.error.message : result.event_id;
      export const order: ReadOrderData['path'] = { order_id: 'o' };
      type IsUnknown<Value> = unknown extends Value ? true : never;
      const data = await client.read({ url: '/api/v1/sites' });
      export const isDataUnknown: IsUnknown<typeof data> = true;
      for await (const item of client.items({ url: '/api/v1/sites' })) true satisfies IsUnknown<typeof item>;`;
    const invalid = `import { Truetally } from '@truetally/node';
      await new Truetally({ apiKey: 'k', baseUrl: 'b' }).track({ event_type: 'page_view' });`;
    writeFileSync(join(project, 'valid.ts'), valid);
    writeFileSync(join(project, 'invalid.ts'), invalid);
    const faults = compile(['valid.ts', 'invalid.ts']);
    expect(faults).toMatch(/^invalid\.ts[^]*session_id/);
    expect(faults).not.toMatch(/^valid\.ts/m);
  });

  it('the code of the packed README is accepted by these types', () => {
    mkdirSync(join(project, 'node_modules', '@types'), { recursive: true });
    for (const name of ['node', 'undici-types']) {
      const folder = name === 'node' ? '@types/node' : name;
      symlinkSync(join(REPOSITORY_ROOT, 'node_modules', folder), join(project, 'node_modules', folder));
    }
    const readme = readFileSync(join(project, 'node_modules', '@truetally', 'node', 'README.md'), 'utf8');
    const samples = [...readme.matchAll(/^```ts\n([\s\S]+?)^```/gm)].map(([, code]) => code);
    expect(samples).toHaveLength(2);
    writeFileSync(join(project, 'readme.ts'), samples.join('\n'));
    // The package's own types were checked by the test before.
    expect(compile(['readme.ts'], { types: ['node'], skipLibCheck: true })).toBe('');
  });

  it('the generated types are those of the API document', () => {
    const made = mkdtempSync(join(tmpdir(), 'truetally-types-'));
    execFileSync(NODE_BINARY, [join(FOLDER, 'generate-types.mjs'), made]);
    const types = 'types.gen.ts';
    expect(readFileSync(join(FOLDER, 'src', 'generated', types), 'utf8')).toBe(
      readFileSync(join(made, types), 'utf8'),
    );
    rmSync(made, { recursive: true, force: true });
  });
});

/** @returns what the compiler says; the language's own library is not checked, which would take half of the time */
function compile(files: readonly string[], more: object = { types: [], skipDefaultLibCheck: true }): string {
  const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', target: 'es2022', ...more };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  try {
    execFileSync(NODE_BINARY, [TSC, '-p', '.'], { cwd: project, encoding: 'utf8' });
    return '';
  } catch (error) {
    return String((error as { readonly stdout?: unknown }).stdout);
  }
}
