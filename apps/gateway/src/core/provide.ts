import type { Abstract, FactoryProvider } from '@nestjs/common';

type Instances<Tokens extends readonly Abstract<unknown>[]> = {
  [Index in keyof Tokens]: Tokens[Index] extends Abstract<infer Instance> ? Instance : never;
};

/**
 * A provider created by a factory from other providers. Nest does not check the types of `inject` against the
 * factory's parameters; here the compiler does.
 */
export function provide<Instance, const Tokens extends readonly Abstract<unknown>[]>(
  token: Abstract<Instance>,
  inject: Tokens,
  useFactory: (...parts: Instances<Tokens>) => Instance | Promise<Instance>,
): FactoryProvider<Instance> {
  return {
    provide: token,
    inject: [...inject],
    useFactory: (...parts: unknown[]) => useFactory(...(parts as Instances<Tokens>)),
  };
}
