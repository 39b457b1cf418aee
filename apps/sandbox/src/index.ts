export { startSandbox, PortTaken, type Sandbox, type SandboxOptions } from './start-sandbox.js';
export { market, type Personality } from './personalities.js';
export type { AgentInfo } from './agent/agent-info.js';
