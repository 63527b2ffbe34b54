import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  eventually,
  ManagedProcess,
  newIssuerKeys,
  NODE_BINARY,
  programEnvironment,
  readIssuerKeys,
  REPOSITORY_ROOT,
  writeIssuerKeys,
} from '@truetally/testing';
import { type Told, toldBy } from '../testing/told-by.js';
import { runToken } from './run-token.js';

const ISSUER = 'http://127.0.0.1:4194';

interface Parts {
  readonly header: Record<string, unknown>;
  readonly claims: { readonly exp: number; readonly nbf?: number } & Record<string, unknown>;
  readonly signature: string;
}

/** The gateway's tests cover the handling of such tokens: these tests check their content. */
describe('npm run token', () => {
  const folder = mkdtempSync(join(tmpdir(), 'truetally-token-'));
  const keysFile = join(folder, 'issuer-keys.json');

  const environmentOf = (localFolder: string) => ({ TRUETALLY_LOCAL_DIR: localFolder });

  const run = (parameters: string[], localFolder = folder): Promise<Told> =>
    toldBy(() => runToken(parameters, environmentOf(localFolder)));

  const runInProcess = async (): Promise<Told> => {
    const command = await ManagedProcess.start({
      name: 'token',
      command: NODE_BINARY,
      args: [join(REPOSITORY_ROOT, 'tools', 'dist', 'token.js')],
      env: { ...programEnvironment(), ...environmentOf(folder) },
    });
    const { code } = await command.exited;
    await eventually(() => command.output().endsWith('\n'));
    return { code, output: command.output() };
  };

  const partsOf = ({ code, output }: Told): Parts => {
    expect(code).toBe(0);
    expect(output).toMatch(/^[\w-]+\.[\w-]+\.[\w-]*\n$/);
    const [header = '', claims = '', signature = ''] = output.trimEnd().split('.');
    return { header: decode(header), claims: decode(claims), signature } as Parts;
  };

  const mint = async (...parameters: string[]): Promise<Parts> => partsOf(await run(parameters));

  beforeAll(async () => {
    writeIssuerKeys(keysFile, await newIssuerKeys());
    writeFileSync(join(folder, 'stack.json'), JSON.stringify({ oidc_issuer: ISSUER }));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('prints a token of the demo owner, valid for a day, and nothing else', async () => {
    const { header, claims } = partsOf(await runInProcess());
    const [key] = readIssuerKeys(keysFile);
    expect(header).toEqual({ alg: 'RS256', typ: 'JWT', kid: key?.kid });
    expect(claims).toEqual({
      iss: ISSUER,
      aud: 'truetally-dashboard',
      sub: 'demo-owner',
      iat: expect.any(Number),
      exp: Number(claims['iat']) + 86_400,
    });
  });

  it('takes every claim and header that matters', async () => {
    const { header, claims } = await mint(
      ...['--sub', 'somebody', '--aud', 'another', '--iss', 'https://elsewhere.example'],
      ...['--alg', 'EdDSA', '--kid', 'any', '--expires', '120', '--not-before', '60'],
    );
    expect(header).toMatchObject({ alg: 'EdDSA', kid: 'any' });
    expect(claims).toMatchObject({ sub: 'somebody', aud: 'another', iss: 'https://elsewhere.example' });
    expect(claims.exp - Number(claims.nbf)).toBe(60);
  });

  it('mints expired tokens, unsigned ones, and ones without a claim', async () => {
    const over = await mint('--expires=-60');
    expect(over.claims.exp).toBeLessThan(Date.now() / 1_000 - 55);
    await expect(mint('--alg', 'none')).resolves.toMatchObject({ header: { alg: 'none' }, signature: '' });
    const { claims } = await mint('--without', 'sub', '--without', 'exp');
    expect(Object.keys(claims).sort()).toEqual(['aud', 'iat', 'iss']);
  });

  it.each([
    [['--alg', 'RS1'], '--alg must be one of RS256, ES256, EdDSA, none, HS256.'],
    [['--expires', 'soon'], '--expires must be a whole number of seconds from now.'],
    [['--not-before', '1.5'], '--not-before must be a whole number of seconds from now.'],
    [['--role', 'owner'], "Unknown option '--role'"],
  ])('reports an invalid argument: %j', async (parameters, message) => {
    const refused = await run(parameters);
    expect(refused.code).toBe(1);
    expect(refused.output).toContain(message);
  });

  it('reports that no stack runs', async () => {
    const elsewhere = join(folder, 'elsewhere');
    const refused = await run([], elsewhere);
    expect(refused.code).toBe(1);
    expect(refused.output).toContain(`No stack runs in ${elsewhere}: start one with "npm start".`);
  });
});

function decode(part: string): unknown {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}
