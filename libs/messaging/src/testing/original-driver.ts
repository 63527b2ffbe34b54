import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const DRIVER = /\/node_modules\/kafkajs\//;

/**
 * Loads the driver as its package brings it: other suites of this process have replaced some of its modules
 * (../driver-speed/kafkajs.ts), and go on with those.
 */
export function originalDriver<T>(load: (require: NodeJS.Require) => T): T {
  const replaced = takeOut();
  try {
    return load(require);
  } finally {
    takeOut();
    Object.assign(require.cache, replaced);
  }
}

function takeOut(): NodeJS.Dict<NodeModule> {
  const loaded = Object.entries(require.cache).filter(([path]) => DRIVER.test(path));
  for (const [path] of loaded) Reflect.deleteProperty(require.cache, path);
  return Object.fromEntries(loaded);
}
