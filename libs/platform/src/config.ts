import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';

/**
 * Reads a service's configuration from the environment at its start. Reports every invalid variable together,
 * with the rule that it breaks, and never a secret's value. `NAME_FILE` names a file with the value of
 * `NAME`, as container platforms mount secrets; a trailing newline is removed.
 */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`Bad configuration:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/** How one environment variable is read: its rule, its parser and its default. */
export interface Setting<T> {
  readonly parse: (raw: string) => T;
  /** What a value must be: completes "KAFKA_BROKERS must be …". */
  readonly rule: string;
  readonly fallback?: () => T;
  readonly secret?: boolean;
}

/** Settings by the name of their variable. */
export type Settings = Readonly<Record<string, Setting<unknown>>>;
/** The values of some settings, by the name of their variable. */
export type Configuration<S extends Settings> = {
  readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never;
};

/** @throws ConfigError naming every variable that is missing or invalid */
export function readConfig<S extends Settings>(
  environment: Readonly<Record<string, string | undefined>>,
  settings: S,
): Configuration<S> {
  const problems: string[] = [];
  const entries = Object.entries(settings).map(([name, setting]) => {
    const source = readSource(environment, name);
    if (source.problem !== undefined) {
      problems.push(source.problem);
      return [name, undefined] as const;
    }
    const { raw } = source;
    if (raw === undefined || raw === '') {
      if (setting.fallback !== undefined) return [name, setting.fallback()] as const;
      problems.push(`${name} is missing; it must be ${setting.rule}`);
      return [name, undefined] as const;
    }
    try {
      return [name, setting.parse(raw)] as const;
    } catch {
      problems.push(`${name} must be ${setting.rule}; got ${describe(raw, setting.secret === true)}`);
      return [name, undefined] as const;
    }
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.fromEntries(entries) as Configuration<S>;
}

interface Source {
  readonly raw?: string | undefined;
  readonly problem?: string;
}

function readSource(environment: Readonly<Record<string, string | undefined>>, name: string): Source {
  const raw = environment[name];
  const path = environment[`${name}_FILE`];
  if (path === undefined || path === '') return { raw };
  if (raw !== undefined && raw !== '') return { problem: `${name} and ${name}_FILE are both given` };
  try {
    return { raw: readFileSync(path, 'utf8').replace(/\r?\n$/, '') };
  } catch (error) {
    const isCoded = typeof error === 'object' && error !== null && 'code' in error;
    const reason = isCoded ? String(error.code) : 'unreadable';
    return { problem: `${name}_FILE names a file that cannot be read (${reason})` };
  }
}

/** A text setting, optionally with a pattern. */
export function text(options: { default?: string; pattern?: RegExp; rule?: string } = {}): Setting<string> {
  return withDefault(
    {
      rule: options.rule ?? 'a non-empty text',
      parse: (raw) => check(raw, options.pattern?.test(raw) ?? true),
    },
    options.default,
  );
}

/** A secret of a minimum length; errors never show its value. */
export function secret(options: { minLength: number }): Setting<string> {
  return {
    rule: `a secret of at least ${options.minLength} characters`,
    secret: true,
    parse: (raw) => check(raw, raw.length >= options.minLength),
  };
}

/** A whole number between `min` and `max`, both included. */
export function integer(options: { min: number; max: number; default?: number }): Setting<number> {
  return withDefault(
    {
      rule: `a whole number from ${options.min} to ${options.max}`,
      parse: (raw) => {
        const value = Number(raw);
        return check(value, /^-?\d+$/.test(raw) && value >= options.min && value <= options.max);
      },
    },
    options.default,
  );
}

const MAX_PORT = 65_535;

/** Port 0 means that the system chooses one. */
export function port(options: { default?: number } = {}): Setting<number> {
  return integer({ min: 0, max: MAX_PORT, ...options });
}

/** A setting that is `true` or `false`. */
export function flag(options: { default?: boolean } = {}): Setting<boolean> {
  return withDefault(
    { rule: 'true or false', parse: (raw) => check(raw === 'true', raw === 'true' || raw === 'false') },
    options.default,
  );
}

/** A setting with values separated by commas; white space around them is removed. */
export function list(
  options: { default?: readonly string[]; min?: number } = {},
): Setting<readonly string[]> {
  const min = options.min ?? 0;
  return withDefault(
    {
      rule: `a list of at least ${min} values with commas between them`,
      parse: (raw) => {
        const values = raw.split(',').map((value) => value.trim());
        return check(values, values.length >= min && values.every((value) => value !== ''));
      },
    },
    options.default,
  );
}

/** Blocks of addresses, `10.1.0.0/16` or `fd00::/8`; default: none. */
export function addressBlocks(): Setting<readonly string[]> {
  return {
    ...list(),
    rule: 'address blocks such as 10.1.0.0/16, with commas between them',
    fallback: () => [],
    parse: (raw) => {
      const blocks = raw.split(',').map((block) => block.trim());
      return check(blocks, blocks.every(isAddressBlock));
    },
  };
}

function isAddressBlock(block: string): boolean {
  const [address = '', bits = '', ...rest] = block.split('/');
  const family = isIP(address);
  const isWhole = family !== 0 && rest.length === 0 && /^\d{1,3}$/.test(bits);
  return isWhole && Number(bits) <= (family === 4 ? IPV4_BITS : IPV6_BITS);
}

const IPV4_BITS = 32;
const IPV6_BITS = 128;

/** A connection URL; treated as a secret, because it may contain a password. */
export function url(options: { protocols: readonly string[] }): Setting<string> {
  return {
    rule: `a URL beginning with ${options.protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    secret: true,
    parse: (raw) => check(raw, options.protocols.includes(new URL(raw).protocol)),
  };
}

/** JSON that `parse` converts to a typed value, or refuses by throwing. */
export function json<T>(options: {
  rule: string;
  secret?: boolean;
  parse: (value: unknown) => T;
}): Setting<T> {
  return {
    rule: options.rule,
    secret: options.secret ?? false,
    parse: (raw) => options.parse(JSON.parse(raw)),
  };
}

function withDefault<T>(setting: Setting<T>, value: T | undefined): Setting<T> {
  return value === undefined ? setting : { ...setting, fallback: () => value };
}

function check<T>(value: T, holds: boolean): T {
  if (!holds) throw new RangeError('The value breaks the rule.');
  return value;
}

function describe(raw: string, isSecret: boolean): string {
  return isSecret ? `${raw.length} characters` : JSON.stringify(raw);
}
