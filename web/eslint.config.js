import js from '@eslint/js';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import { importX } from 'eslint-plugin-import-x';
import a11y from 'eslint-plugin-jsx-a11y-x';
import hooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

/** Zones import one way: lib ← engine ← screens, reports ← app. `gen` may be imported by all. */
const forbiddenZones = {
  lib: ['engine', 'screens', 'reports', 'app'],
  engine: ['screens', 'reports', 'app'],
  screens: ['reports', 'app'],
  reports: ['screens', 'app'],
};

/** Pages read through lib/query, which keeps those behind other tabs quiet. */
const reading = {
  name: '@tanstack/react-query',
  importNames: ['useQuery', 'useInfiniteQuery', 'useQueries', 'useSuspenseQuery'],
  message: 'Queries go through lib/query.',
};

/** Its today and its now are the browser's. */
const picking = {
  name: 'antd',
  importNames: ['DatePicker', 'TimePicker', 'Calendar'],
  message: 'Dates are picked by lib/DatePicker.',
};

/** What day and what time it is, the business's clock says: that of a PC may be wrong, or elsewhere. */
const clocks = [
  "NewExpression[callee.name='Date'][arguments.length=0]",
  "CallExpression[callee.name='Date']",
  "MemberExpression[object.name='Date'][property.name='now']",
  "CallExpression[callee.name='dayjs'][arguments.length=0]",
].map((selector) => ({ selector, message: 'What time it is, lib/businessClock says.' }));

/** Its own watch of sizes misses the first change. */
const drawing = {
  name: 'echarts-for-react/esm/core',
  message: 'Charts are drawn by lib/EChart.',
};

const zoneRules = Object.entries(forbiddenZones).map(([zone, forbidden]) => ({
  files: [`src/${zone}/**/*.{ts,tsx}`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        paths: zone === 'lib' ? [] : [reading, drawing, picking],
        patterns: [
          {
            regex: `^(@/|(\\.\\.?/)+)(${forbidden.join('|')})(/|$)`,
            message: 'Zones import one way: lib ← engine ← screens, reports ← app.',
          },
        ],
      },
    ],
  },
}));

export default tseslint.config(
  { ignores: ['dist', 'src/gen', 'node_modules'] },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  hooks.configs.flat.recommended,
  a11y.configs.recommended,
  importX.flatConfigs.typescript,
  {
    files: ['src/**/*.{ts,tsx}'],
    plugins: { 'import-x': importX },
    settings: { 'import-x/resolver-next': [createTypeScriptImportResolver({ project: 'tsconfig.json' })] },
    rules: {
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      // In a dialog or the first page, what is typed first has the focus: antd's own fields take it so.
      'jsx-a11y-x/no-autofocus': ['error', { ignoreNonDOM: true }],
      'jsx-a11y-x/label-has-associated-control': ['error', { controlComponents: ['Switch'] }],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      'no-restricted-globals': [
        'error',
        { name: 'fetch', message: 'Calls go through lib/api.' },
        { name: 'XMLHttpRequest', message: 'Calls go through lib/api.' },
      ],
      'no-restricted-syntax': ['error', ...clocks],
      'max-lines': ['warn', { max: 450, skipBlankLines: true, skipComments: true }],
    },
  },
  { files: ['src/lib/api.ts', 'src/**/*.test.{ts,tsx}'], rules: { 'no-restricted-globals': 'off' } },
  { files: ['src/lib/businessClock.ts', 'src/**/*.test.{ts,tsx}'], rules: { 'no-restricted-syntax': 'off' } },
  {
    // Their keys are those of the widget that they are parts of: of the tab list, the grid, the picker's own input.
    files: [
      'src/app/tabs/TabBar.tsx',
      'src/engine/fields/typeTree.tsx',
      'src/engine/lines/ChoiceList.tsx',
      'src/engine/lines/GridRow.tsx',
    ],
    rules: { 'jsx-a11y-x/interactive-supports-focus': 'off', 'jsx-a11y-x/click-events-have-key-events': 'off' },
  },
  {
    files: ['src/**/*.test.{ts,tsx}'],
    rules: {
      'jsx-a11y-x/no-autofocus': 'off',
      'max-lines': ['warn', { max: 550, skipBlankLines: true, skipComments: true }],
    },
  },
  ...zoneRules,
  {
    files: ['src/app/**/*.{ts,tsx}'],
    rules: { 'no-restricted-imports': ['error', { paths: [reading, drawing, picking] }] },
  },
);
