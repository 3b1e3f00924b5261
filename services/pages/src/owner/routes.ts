/** The places of the owner's page. */
import { routesOf } from '../common/routes.ts';

export const routes = routesOf({
  tasks: '/',
  enrol: '/enrol',
  task: '/tasks/:taskId',
  policy: '/policy',
  device: '/device',
  trust: '/trust',
});
