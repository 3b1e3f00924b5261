/** The places of the console. */
import { routesOf } from '../common/routes.ts';

export const routes = routesOf({
  list: '/',
  draft: '/draft',
  create: '/create',
  task: '/tasks/:taskId',
  result: '/tasks/:taskId/result',
});
