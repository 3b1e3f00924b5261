import { expect, it } from 'vitest';
import { memoryChannelPair } from '../../src/index.ts';
import { rotated } from '../../src/rotated.ts';
import { AT_ONCE } from './run.ts';
import { distanceToSketch, patterned, sketchSetting } from './sketches.ts';

it.each([
  [40, 16, 4, 60],
  [1024, 60, 20, 200],
])(
  'real %i',
  async (d, columns, components, rows) => {
    const setting = sketchSetting({ rows: patterned(rows, d, columns + 4), columns, components });
    const { task, program, garbler, evaluator } = setting;
    const [left, right] = memoryChannelPair();
    const t0 = performance.now();
    const c0 = process.cpuUsage();
    const [, user] = await Promise.all([
      rotated.runCsp(left, { task, program }, { ...garbler, markAnswered: async () => undefined }),
      rotated.runDataUser(right, { task, program }, { ...evaluator, pace: AT_ONCE }),
    ]);
    const c1 = process.cpuUsage(c0);
    const { eigenvalueError, sine } = distanceToSketch(setting, user);
    console.log(d, columns, {
      seconds: (performance.now() - t0) / 1000,
      cpu: (c1.user + c1.system) / 1e6,
      left: left.bytesSent / 1e6,
      right: right.bytesSent / 1e6,
      eigenvalueError,
      sine,
      rss: process.memoryUsage().rss / 1e6,
    });
    expect(sine).toBeLessThan(1e-3);
  },
  600000,
);
