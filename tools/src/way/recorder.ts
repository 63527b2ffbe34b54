/** What a function did, by the monotonic clock of the machine, which all its processes share. */
export interface Step {
  /** The file's path in the repository, as built. */
  readonly file: string;
  readonly name: string;
  readonly kind: 'began' | 'continued' | 'ended';
  readonly atNs: bigint;
  /** The function's call; of a method, also the call that made its object. */
  readonly call: number;
  readonly madeBy: number | undefined;
  /** The call in which the function was written. */
  readonly around: number | undefined;
}

interface Call {
  readonly number: number;
  readonly file: string;
  readonly name: string;
  readonly madeBy: number | undefined;
  readonly around: number | undefined;
  returned?: PromiseLike<unknown> | undefined;
}

/** Some seconds of a process; older steps are forgotten. */
const MAX_STEPS = 400_000;

/** Keeps the last steps of its process. The text that `instrument` writes calls it. */
export class Recorder {
  private steps: Step[] = [];
  private readonly makers = new WeakMap<object, number>();
  private calls = 0;

  began(file: string, name: string, around: Call | undefined, self: unknown, isConstructor: boolean): Call {
    this.calls += 1;
    const known = typeof self === 'object' && self !== null ? self : undefined;
    if (isConstructor && known !== undefined) this.makers.set(known, this.calls);
    const madeBy = isConstructor || known === undefined ? undefined : this.makers.get(known);
    const call = { number: this.calls, file, name, madeBy, around: around?.number };
    this.note(call, 'began');
    return call;
  }

  continued<T>(call: Call, value: T): T {
    this.note(call, 'continued');
    return value;
  }

  returned<T>(call: Call, value: T): T {
    if (isThenable(value)) call.returned = value;
    return value;
  }

  ended(call: Call): void {
    if (call.returned === undefined) return this.note(call, 'ended');
    const end = (): void => this.note(call, 'ended');
    call.returned.then(end, end);
    call.returned = undefined;
  }

  /** @returns what it has kept, and forgets it */
  take(): readonly Step[] {
    return this.steps.splice(0);
  }

  private note({ number, file, name, madeBy, around }: Call, kind: Step['kind']): void {
    if (this.steps.length >= MAX_STEPS) this.steps = this.steps.slice(MAX_STEPS / 2);
    this.steps.push({ file, name, kind, atNs: process.hrtime.bigint(), call: number, madeBy, around });
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return value instanceof Promise;
}
