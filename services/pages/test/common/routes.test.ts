import { expect, test } from 'vitest';
import { routesOf } from '../../src/common/routes.ts';

const routes = routesOf({
  list: '/',
  create: '/create',
  task: '/tasks/:taskId',
  part: '/tasks/:taskId/:part',
});

test('an address is the route whose path it fits, and comes back as it was', () => {
  expect(routes.match('')).toEqual({ name: 'list', params: {} });
  expect(routes.match('#/')).toEqual({ name: 'list', params: {} });
  expect(routes.match('#/create')).toEqual({ name: 'create', params: {} });
  expect(routes.match('#/tasks/abc')).toEqual({ name: 'task', params: { taskId: 'abc' } });
  const odd = { taskId: 'a/b #?%', part: '<b>' };
  expect(routes.match(routes.href('part', odd))).toEqual({ name: 'part', params: odd });
});

test('what fits no path, or is not encoded as addresses are, is no route', () => {
  for (const hash of ['#/tasks', '#/tasks/a/b/c', '#/nothing', '#/tasks/%E0%A4%A', '#csp=https%3A%2F%2Fx'])
    expect(routes.match(hash)).toBeNull();
});
