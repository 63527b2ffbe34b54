import { readdirSync } from 'node:fs';
import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';
import jsxA11y from 'eslint-plugin-jsx-a11y';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';
import { TEST_NAMES } from './eslint.test-names.mjs';

/** What a `domain/` folder may never reach for: frameworks, drivers, the environment, the clock, randomness. */
const DOMAIN_BANNED_IMPORTS = [
  '@nestjs/*',
  'typeorm',
  'pg',
  'kafkajs',
  'express',
  'node:*',
  '@truetally/messaging',
  '@truetally/persistence',
  '@truetally/platform',
  '**/storage/*',
];

const GATEWAY = 'apps/gateway/src';
/** The gateway's core, each folder over those before it. Every other folder is a feature. */
const GATEWAY_LAYERS = [
  'storage',
  'limits',
  'credentials',
  'campaigns',
  'http',
  'ask',
  'refusals',
  'door',
  'core',
];
/** What only tests use. */
const GATEWAY_TESTING = 'testing';
const GATEWAY_FEATURES = readdirSync(`${import.meta.dirname}/${GATEWAY}`, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && ![...GATEWAY_LAYERS, GATEWAY_TESTING].includes(entry.name))
  .map(({ name }) => name);

/** What puts all folders together, and what only tests use: no folder's product files import it. */
const GATEWAY_OUTER = ['application', 'features', 'gateway', 'public-http', 'testing'];

/** What tests stand on is no part of the product. */
const TESTS_ONLY = {
  group: [
    '@truetally/processes',
    '@truetally/testing',
    '@truetally/testing-product',
    '@jest/*',
    'fast-check',
    'ajv',
    'ajv/**',
    'autocannon',
    '**/testing/**',
  ],
  message: 'Only tests, and what stands in src/testing/, may use this.',
};
/** Programs of ours start and check the product as tests do; what stands beside their own tests is not for them. */
const TOOLS_TESTS_ONLY = {
  group: ['@jest/*', 'fast-check', '**/testing/**'],
  message: TESTS_ONLY.message,
};

/** A folder of the gateway, and the others that it must not import from, in its tests neither. */
function gatewayBoundary(folder, forbidden, message) {
  const tests = [`${GATEWAY}/${folder}/**/*spec.ts`];
  const rule = (names, ...others) => {
    const patterns = [{ regex: `^(\\.\\./)+(${names.join('|')})[/.]`, message }, ...others];
    return { '@typescript-eslint/no-restricted-imports': ['error', { patterns }] };
  };
  return [
    {
      files: [`${GATEWAY}/${folder}/**/*.ts`],
      ignores: tests,
      rules: rule([...forbidden, ...GATEWAY_OUTER], TESTS_ONLY),
    },
    { files: tests, rules: rule(forbidden) },
  ];
}

/** For these fast-check makes a table of 1.1 million characters: a second and 100 MiB for each worker. */
const TABLES = [
  {
    selector: "Property[key.name=/^(unit|stringUnit)$/] > Literal[value='binary']",
    message: 'Use anyCharacter of @truetally/kernel/testing, which makes no table of all characters.',
  },
  {
    selector:
      "MemberExpression[object.name='fc'][property.name=/^web(Url|Path|Segment|QueryParameters|Fragments)$/]",
    message:
      'Use anyUrl, anyPath or anyUrlPart of @truetally/kernel/testing, which make no table of all characters.',
  },
];

const GATEWAY_BOUNDARIES = [
  ...GATEWAY_LAYERS.flatMap((layer, index) =>
    gatewayBoundary(
      layer,
      [...GATEWAY_LAYERS.slice(index + 1), ...GATEWAY_FEATURES],
      `${layer} knows nothing of what stands on it.`,
    ),
  ),
  ...GATEWAY_FEATURES.flatMap((feature) =>
    gatewayBoundary(
      feature,
      GATEWAY_FEATURES.filter((other) => other !== feature),
      'Features depend on the core and never on each other.',
    ),
  ),
];

const MESSAGING = 'libs/messaging/src';
/** The parts of the messaging library, each line over those before it: folders, and files by their names. */
const MESSAGING_LAYERS = [
  ['driver-speed', 'limits', 'log', 'metrics', 'security', 'wire'],
  ['access', 'broker-clock', 'delay', 'driver', 'errors', 'lag'],
  ['dead-letters', 'placed-request', 'topics'],
  ['configured-partitions', 'producing', 'replication'],
  ['messaging'],
  ['consuming', 'reading-record', 'rewind'],
  ['asking', 'facts', 'serving'],
  ['read-dead-letter'],
  ['replay-dead-letter'],
  ['index'],
];
const MESSAGING_BOUNDARIES = MESSAGING_LAYERS.slice(0, -1).map((layer, index) => {
  const above = MESSAGING_LAYERS.slice(index + 1).flat();
  return {
    files: layer.map((part) => `${MESSAGING}/${part}{.ts,/**/*.ts}`),
    ignores: [`${MESSAGING}/**/*spec.ts`],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            TESTS_ONLY,
            {
              regex: `^\\.\\.?/(${above.join('|')})[/.]`,
              message: 'A lower layer of the messaging library knows nothing of what stands on it.',
            },
          ],
        },
      ],
    },
  };
});

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      '**/dist-testing/**',
      '**/generated/**',
      '**/node_modules/**',
      '.local/**',
      '.nx/**',
      'coverage/**',
    ],
  },
  ...tseslint.configs.strict,
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: false } }],
      'no-console': 'error',
      'no-restricted-syntax': ['error', ...TEST_NAMES, ...TABLES],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    // The dashboard's pages: accessible, with nothing that its policy would refuse.
    files: ['apps/dashboard/web/**/*.{ts,tsx}'],
    extends: [jsxA11y.flatConfigs.strict],
    plugins: { 'react-hooks': reactHooks },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
      // A region that scrolls is reached by the keyboard, and so is what a time says of other zones.
      'jsx-a11y/no-noninteractive-tabindex': ['error', { roles: ['region'], tags: ['main', 'h1', 'time'] }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      'no-restricted-syntax': [
        'error',
        ...TEST_NAMES,
        ...TABLES,
        { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: 'Texts are text nodes.' },
        { selector: "JSXAttribute[name.name='style']", message: 'Styles stand in CSS modules.' },
        { selector: "MemberExpression[property.name='innerHTML']", message: 'Texts are text nodes.' },
      ],
    },
  },
  {
    // Only these keep anything in the browser.
    files: ['apps/dashboard/web/**/*.{ts,tsx}'],
    ignores: ['apps/dashboard/web/session/**'],
    rules: { 'no-restricted-globals': ['error', 'localStorage', 'sessionStorage', 'indexedDB'] },
  },
  {
    files: ['apps/**/*.ts', 'libs/**/*.ts', 'tools/**/*.ts'],
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        {
          enforceBuildableLibDependency: false,
          allow: [],
          depConstraints: [
            {
              sourceTag: 'type:app',
              onlyDependOnLibsWithTags: [
                'type:resource',
                'type:service',
                'type:lib',
                'type:kernel',
                'type:testing',
                'type:sdk',
              ],
            },
            // What runs in a browser stands on nothing of ours; its specs compare it with the contracts. The Node client
            // bundles the rules of a conversion.
            { sourceTag: 'type:sdk', onlyDependOnLibsWithTags: ['type:lib', 'type:kernel', 'type:testing'] },
            // The way of any resource, over what services are made of.
            {
              sourceTag: 'type:resource',
              onlyDependOnLibsWithTags: ['type:service', 'type:lib', 'type:kernel', 'type:testing'],
            },
            // What puts the libraries together as each service needs them: the only one that sees several.
            {
              sourceTag: 'type:service',
              onlyDependOnLibsWithTags: ['type:lib', 'type:kernel', 'type:testing'],
            },
            // Tests and tools load, and start, whatever they are about.
            ...['type:tools', 'type:testing'].map((sourceTag) => ({
              sourceTag,
              onlyDependOnLibsWithTags: [
                'type:lib',
                'type:kernel',
                'type:processes',
                'type:testing',
                'type:sdk',
              ],
            })),
            { sourceTag: 'type:lib', onlyDependOnLibsWithTags: ['type:kernel', 'type:testing'] },
            // What starts Kafka, Postgres, an issuer and our services, for tools and for tests.
            { sourceTag: 'type:processes', onlyDependOnLibsWithTags: [] },
            { sourceTag: 'type:kernel', onlyDependOnLibsWithTags: [] },
          ],
        },
      ],
    },
  },
  {
    // A program that a test launches is compiled to a place of its own, and finds the library by its name.
    files: ['libs/messaging/src/testing/{services,storing-service}.ts'],
    rules: { '@nx/enforce-module-boundaries': 'off' },
  },
  {
    // The message bus is one library's business: everything else names outputs, never the driver.
    files: ['**/*.ts'],
    ignores: ['libs/messaging/**', 'libs/processes/**', 'libs/testing/**', 'tools/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            { name: 'kafkajs', message: 'Only libs/messaging talks to Kafka.' },
            {
              name: 'class-validator',
              message: 'Its index loads 290 files of checks; use the decorators of libs/contracts.',
            },
          ],
        },
      ],
    },
  },
  {
    // Types cost nothing, and a test may ask class-validator itself.
    files: ['libs/contracts/**/*.d.ts', 'libs/contracts/**/*spec.ts'],
    rules: { 'no-restricted-imports': 'off' },
  },
  {
    files: ['apps/**/*.ts', 'libs/**/*.ts'],
    ignores: [
      '**/*spec.ts',
      '**/testing/**',
      'libs/processes/**',
      'libs/testing/**',
      'libs/testing-product/**',
    ],
    rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns: [TESTS_ONLY] }] },
  },
  {
    files: ['tools/**/*.ts'],
    ignores: ['**/*spec.ts', '**/testing/**'],
    rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns: [TOOLS_TESTS_ONLY] }] },
  },
  {
    // Whoever starts the product needs what starts processes, and nothing that tests stand on; faults are chaos' business.
    files: ['tools/**/*.ts'],
    ignores: ['**/*spec.ts', '**/testing/**', 'tools/src/lab/**'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            { group: [...TOOLS_TESTS_ONLY.group, '@truetally/testing'], message: TESTS_ONLY.message },
          ],
        },
      ],
    },
  },
  {
    // One place per app reads the environment.
    files: ['apps/**/*.ts', 'libs/**/*.ts'],
    ignores: [
      '**/config.ts',
      'apps/dashboard/src/main.ts',
      'apps/dashboard/src/testing/**',
      'libs/processes/**',
      'libs/testing/**',
      'libs/testing-product/**',
      '**/*spec.ts',
    ],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Read the environment in config.ts only.' },
      ],
    },
  },
  {
    files: ['**/domain/**/*.ts', 'libs/kernel/src/**/*.ts'],
    ignores: ['**/*spec.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        'process',
        'performance',
        'crypto',
        'fetch',
        'setTimeout',
        'setInterval',
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'The clock is an argument.' },
        { object: 'Math', property: 'random', message: 'Randomness is an argument.' },
      ],
    },
  },
  {
    files: ['**/domain/**/*.ts'],
    ignores: ['**/*spec.ts'],
    rules: { 'no-restricted-imports': ['error', { patterns: DOMAIN_BANNED_IMPORTS }] },
  },
  ...GATEWAY_BOUNDARIES,
  ...MESSAGING_BOUNDARIES,
  { files: ['tools/**/*.ts', 'tools/**/*.mjs', '*.mjs'], rules: { 'no-console': 'off' } },
  prettier,
);
