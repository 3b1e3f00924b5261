import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['shared/*/test/**/*.test.ts', 'services/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
