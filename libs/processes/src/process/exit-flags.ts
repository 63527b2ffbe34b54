/**
 * A process that ends while a thread of V8 compiles may hang for ever (nodejs/node#54918): that thread waits for a collection by
 * the main thread, which waits for the thread to end. Seen once in some two thousand ends of `npm start`, with each of the two
 * compilers that make their code in the background without these flags. The images' entry point has them too.
 */
export const EXIT_FLAGS: readonly string[] = [
  '--no-concurrent-sparkplug',
  '--no-maglev-build-code-on-background',
  '--no-maglev-deopt-data-on-background',
];

/**
 * For suites and the pages that they open: code that runs for seconds returns less than the last compiler takes, a tenth of their
 * processor time. Services of tests take as much with it as without.
 */
export const WITHOUT_LAST_COMPILER = '--no-turbofan';
