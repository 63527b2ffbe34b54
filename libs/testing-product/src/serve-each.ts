import { pathToFileURL } from 'node:url';

/** A service to run in this process. */
export interface Served {
  /** Its `serve.js`. */
  readonly program: string;
  readonly environment: Readonly<Record<string, string>>;
}

interface ServeModule {
  serve(environment: NodeJS.ProcessEnv): Promise<void>;
}

// Each service listens for signals.
process.setMaxListeners(0);

/**
 * Several services in one process: a test that kills none of them needs the modules that they share only once.
 * Together, because services wait for each other's topics.
 */
const services = JSON.parse(process.env['SERVICES'] ?? '[]') as readonly Served[];
await Promise.all(
  services.map(async ({ program, environment }) => {
    const { serve } = (await import(pathToFileURL(program).href)) as ServeModule;
    await serve(environment);
  }),
);
