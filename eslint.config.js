// Rules of this repository. Besides types they hold the import directions (src/README.md): each folder
// names what it must not import, and why.
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

const PACKAGE = '^(?!\\.{1,2}/|node:)';
const NODE = '^node:';
/** Folders of src, and what it composes, in the order in which they stand in src/README.md. */
const SRC_FOLDERS = [
  'ring',
  'core',
  'pool',
  'broker',
  'config',
  'observe',
  'commands',
  'quickstart',
];

/** Forbids `regex` as an import, with the reason in the message. */
function never(regex, message, options = {}) {
  return { regex, message, ...options };
}

/** Forbids every folder of src but `contract`, the folder itself and those named. */
function otherFolders(own, allowed = []) {
  const forbidden = SRC_FOLDERS.filter((name) => name !== own && !allowed.includes(name));
  return never(
    `^(\\.\\./)+(src/)?(${forbidden.join('|')})(/|$)`,
    `${own} may import ${['contract', ...allowed].join(', ')} and itself: directions go one way (src/README.md).`,
  );
}

/** Forbids packages but those named: one importer per dependency. */
function packagesBut(own, allowed = []) {
  const names = allowed.map((name) => `${name}(/|$)`).join('|');
  return never(
    allowed.length === 0 ? PACKAGE : `${PACKAGE}(?!${names})`,
    `${own} may import ${allowed.join(', ') || 'no package'}: one importer per dependency (src/README.md).`,
  );
}

const COMPOSITION = never(
  '^(\\.\\./)+[a-z-]+\\.ts$',
  'The files of src itself put the parts together; parts do not know them.',
);
const OUTSIDE = never(
  '^(\\.\\./)+(workers|test|bench)/',
  'src names the worker entry by URL only and knows nothing of test and bench.',
);

/** Import rules of one folder. */
function directions(files, ...patterns) {
  return { files, rules: { 'no-restricted-imports': ['error', { patterns }] } };
}

const CORE_TYPES = never(
  '^(\\.\\./)+core/(?!ports\\.ts$)',
  'Only the ports of core may be known here; the rest of it belongs to the turn.',
);
const CORE_PORTS_AS_TYPES = never(
  '^(\\.\\./)+core/ports\\.ts$',
  'Import types only from the ports of core (ROW_STRIDE and Row excepted).',
  { allowTypeImports: true, allowImportNames: ['ROW_STRIDE', 'Row'] },
);

const NO_CLOCK =
  'core is deterministic: time comes in through turn(now), so that a simulator can replay it.';

export default defineConfig(
  { ignores: ['dist/', 'coverage/', '.cache/', '**/build/', '**/build-asan/', 'test/fixtures/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      // The rule would put `!` where this repository writes what the value is known to be.
      '@typescript-eslint/non-nullable-type-assertion-style': 'off',
      // Handlers in plain JavaScript pass what they like, whatever the types say.
      '@typescript-eslint/no-unnecessary-type-conversion': 'off',
      // Columns are indexed by loops that count; an iterator per row would cost an object.
      '@typescript-eslint/prefer-for-of': 'off',
      eqeqeq: 'error',
      'no-console': 'error',
      'max-lines': ['error', { max: 400 }],
      'max-lines-per-function': ['error', { max: 70, skipComments: true, skipBlankLines: true }],
    },
  },
  {
    files: ['**/*.mjs', '**/*.js'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        performance: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        Buffer: 'readonly',
        URL: 'readonly',
      },
    },
    rules: {
      eqeqeq: 'error',
      'no-undef': 'error',
      'no-unused-vars': 'error',
      'no-unreachable': 'error',
      'prefer-const': 'error',
      'max-lines': ['error', { max: 400 }],
    },
  },

  directions(
    ['src/contract/**'],
    never('^(?!\\./)', 'contract is the vocabulary of both threads and imports nothing.'),
  ),
  directions(['src/ring/**'], otherFolders('ring'), packagesBut('ring'), COMPOSITION, OUTSIDE),
  directions(
    ['src/core/**'],
    otherFolders('core'),
    packagesBut('core'),
    never(NODE, NO_CLOCK),
    COMPOSITION,
    OUTSIDE,
  ),
  {
    files: ['src/core/**'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...[
          'Date',
          'performance',
          'setTimeout',
          'setInterval',
          'setImmediate',
          'queueMicrotask',
          'process',
          'crypto',
          'Atomics',
          'SharedArrayBuffer',
        ].map((name) => ({ name, message: NO_CLOCK })),
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: NO_CLOCK },
      ],
    },
  },
  directions(
    ['src/pool/**'],
    otherFolders('pool', ['ring', 'core']),
    packagesBut('pool', ['piscina']),
    CORE_TYPES,
    CORE_PORTS_AS_TYPES,
    COMPOSITION,
    OUTSIDE,
  ),
  directions(
    ['src/broker/**'],
    otherFolders('broker', ['core']),
    packagesBut('broker', ['node-rdkafka']),
    CORE_TYPES,
    CORE_PORTS_AS_TYPES,
    COMPOSITION,
    OUTSIDE,
  ),
  directions(
    ['src/config/**'],
    otherFolders('config'),
    packagesBut('config', ['zod', 'yaml', 'jiti', 'fastest-levenshtein']),
    COMPOSITION,
    OUTSIDE,
  ),
  directions(
    ['src/observe/**'],
    otherFolders('observe'),
    packagesBut('observe', ['prom-client', 'pino', 'pino-pretty', 'fastify']),
    COMPOSITION,
    OUTSIDE,
  ),
  directions(
    ['src/*.ts', 'src/commands/**', 'src/quickstart/**'],
    packagesBut('the composition', ['commander', 'yaml']),
    OUTSIDE,
  ),
  directions(
    ['workers/**'],
    never(
      '^(\\.\\./)+src/(?!contract/|ring/|index\\.ts$)',
      'Worker threads load contract and ring only; the rest of src lives on the main thread.',
    ),
    packagesBut('workers'),
  ),
  directions(
    ['workers/load-handler.ts'],
    never('^(\\.\\./)+src/(?!contract/|ring/)', 'Worker threads load contract and ring only.'),
    packagesBut('load-handler', ['jiti']),
  ),
  directions(
    ['test/sim/**', 'test/guarantees/**'],
    never(
      '^(\\.\\./)+src/(?!contract/|core/)',
      'The simulator runs the core alone; the guarantees observe events from outside.',
    ),
  ),
  directions(
    ['test/guarantees/**'],
    never(
      '^(\\.\\./)+src/(?!contract/)',
      'A guarantee that shares code with the core shares its bugs.',
    ),
  ),

  {
    // Command lines write to the terminal.
    files: ['src/commands/**', 'src/quickstart/**', 'src/main.ts', 'bench/**', 'test/sim/main.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // node:test reports the promises of `test` and `describe` itself.
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            { from: 'package', name: ['test', 'it', 'describe', 'suite'], package: 'node:test' },
          ],
        },
      ],
      'max-lines-per-function': 'off',
    },
  },
);
