import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['assets/', 'dist/', 'node_modules/', '.batchgate/', 'coverage/', '**/*.cjs', '**/*.mjs'] },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['test/**'],
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
  {
    // Answers are whatever JSON came; the document of the API checks them.
    files: [
      'test/api/**',
      'test/mcp/**',
      'test/long/{mcp,python}-*.ts',
      'test/helpers/mcp.ts',
      'test/helpers/http-api.ts',
    ],
    rules: {
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    // It draws the cases by the commit.
    files: ['test/**'],
    ignores: ['test/helpers/properties.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          name: 'fast-check',
          message: "Import '../helpers/properties', which draws the cases by the commit.",
        },
      ],
    },
  },
  {
    // The only reader of the environment; everything else receives its configuration.
    files: ['src/**', 'workflows/**', 'activities/**'],
    ignores: ['src/host/config.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "MemberExpression[object.name='process'][property.name='env']",
          message: 'Read the environment in src/host/config.ts only.',
        },
      ],
    },
  },
);
