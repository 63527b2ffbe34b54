/** The address of each operation of a service, by its name in camel case: `OPERATIONS.createSite`. */
export type OperationsOf<Service extends string, Topic extends string, Name extends string> = {
  readonly [N in Name as CamelCase<N>]: `${Service}.${Topic}/${N}`;
};

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** `create-site` as `createSite`. */
export function camelCase(name: string): string {
  return name.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
