import type { Step } from './recorder.js';

/** A file on the way of a request, in one process. */
export interface Passed {
  readonly process: string;
  /** As in the repository: `apps/gateway/src/door/edge.ts`. */
  readonly file: string;
  /** How often the way came to it. */
  readonly visits: number;
  /** The functions that began or continued, in order. */
  readonly functions: readonly string[];
}

/** From a request's first byte to its answer's last one, by the clock of the steps. */
export interface Span {
  readonly fromNs: bigint;
  readonly toNs: bigint;
}

/**
 * Where a request goes: what stands beneath (contracts, kernel, storage) is used everywhere, so that using it is not
 * going anywhere.
 */
const COUNTED = /^(?:apps|libs\/messaging)\//;

/** What one process did during one request. */
interface Way {
  readonly visits: readonly { readonly file: string; readonly atNs: bigint }[];
  readonly functions: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * The files that a kind of request passes, in the order in which it comes to them. Several requests are compared, sent
 * one after the other: what else a process does meanwhile (heartbeats, timers) is left out, because it does not happen
 * during each of them.
 */
export function readWay(
  processes: ReadonlyMap<string, readonly Step[]>,
  requests: readonly Span[],
): readonly Passed[] {
  const passed = [...processes].flatMap(([process, steps]) => {
    const ways = requests.map(({ fromNs, toNs }) =>
      wayOf(steps.filter(({ atNs }) => atNs >= fromNs && atNs <= toNs)),
    );
    return passedInAll(process, ways, requests);
  });
  return passed
    .toSorted((left, right) => left.afterNs - right.afterNs)
    .map(({ process, file, visits, functions }) => ({ process, file, visits, functions }));
}

function passedInAll(
  process: string,
  ways: readonly Way[],
  requests: readonly Span[],
): readonly (Passed & { readonly afterNs: number })[] {
  const files = new Set(ways.flatMap(({ visits }) => visits.map(({ file }) => file)));
  return [...files].flatMap((file) => {
    const inEach = ways.map(({ visits }) => visits.filter((visit) => visit.file === file));
    const visits = Math.min(...inEach.map(({ length }) => length));
    if (visits === 0) return [];
    const names = [...(ways[0]?.functions.get(file) ?? [])];
    const functions = names.filter((name) =>
      ways.every((way) => way.functions.get(file)?.has(name) === true),
    );
    const firsts = inEach.map(([first], index) =>
      Number((first?.atNs ?? 0n) - (requests[index]?.fromNs ?? 0n)),
    );
    const afterNs = firsts.toSorted((left, right) => left - right)[Math.floor(firsts.length / 2)] ?? 0;
    return [{ process, file: sourceOf(file), visits, functions, afterNs }];
  });
}

/**
 * A visit begins when a file is entered from outside. It lasts until its functions have returned, or what they have
 * promised is settled; the way comes a second time when it enters the file after that and after another file. These do
 * not enter a file: a function that was written inside a call of this request (it continues that call), and a method of
 * an object that this request has made (a value that it carries along).
 */
function wayOf(steps: readonly Step[]): Way {
  const visits: { file: string; atNs: bigint }[] = [];
  const functions = new Map<string, Set<string>>();
  const open = new Map<string, Set<number>>();
  /** The number of counted visits when a file was left. */
  const left = new Map<string, number>();
  let counted = 0;
  const calls = new Set<number>();
  const enter = (file: string, atNs: bigint): void => {
    const isOpen = (open.get(file)?.size ?? 0) > 0;
    if (isOpen || left.get(file) === counted) return;
    visits.push({ file, atNs });
    if (COUNTED.test(file)) counted += 1;
  };
  for (const { file, name, kind, atNs, call, around, madeBy } of steps) {
    const current = open.get(file) ?? new Set<number>();
    if (kind === 'ended') {
      if (current.delete(call) && current.size === 0) left.set(file, counted);
      continue;
    }
    const isOfRequest =
      kind === 'continued'
        ? calls.has(call)
        : (around !== undefined && calls.has(around)) || (madeBy !== undefined && calls.has(madeBy));
    if (!isOfRequest) enter(file, atNs);
    calls.add(call);
    open.set(file, current.add(call));
    functions.set(file, (functions.get(file) ?? new Set()).add(name));
  }
  return { visits, functions };
}

function sourceOf(built: string): string {
  return built.replace('/dist/', '/src/').replace(/\.js$/, '.ts');
}
