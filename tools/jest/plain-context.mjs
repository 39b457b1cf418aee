import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

/**
 * Jest's own environment, in a context whose global object is an ordinary one (`vm.constants.DONT_CONTEXTIFY`). In a
 * usual context each use of a global name, `Object` or `Promise` as well, calls an interceptor and a proxy of Jest.
 */
export default class PlainContext extends TestEnvironment {
  constructor(...args) {
    const { createContext } = vm;
    // Jest accepts no context from outside.
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(...args);
    } finally {
      vm.createContext = createContext;
    }
  }
}
