import type { ClientCertificate } from '@switchyard/sellers';
import type { Agent } from 'undici';
import type { ShownCertificate } from './pinned-connect.js';

/** Agents that are kept; the one that was used longest ago is closed for another one. */
const mostAgents = 200;

/**
 * One agent for each certificate and origin: an agent offers its certificate to every host that it is used for, and its
 * sockets keep the certificate with which they were opened.
 */
export class CertificateAgents {
  readonly #agents = new Map<string, Agent>();

  constructor(private readonly make: (shown: ShownCertificate) => Agent) {}

  of({ id, pem }: ClientCertificate, origin: string): Agent {
    const key = `${id} ${origin}`;
    const known = this.#agents.get(key);
    this.#agents.delete(key);
    const agent = known ?? pem.useText((text) => this.make({ origin, pem: text }));
    this.#agents.set(key, agent);
    if (this.#agents.size > mostAgents) this.#closeOldest();
    return agent;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#agents.values()].map((agent) => agent.destroy()));
    this.#agents.clear();
  }

  /** Calls that run are ended by their answers. */
  #closeOldest(): void {
    const [oldest] = this.#agents;
    if (oldest === undefined) return;
    this.#agents.delete(oldest[0]);
    void oldest[1].close();
  }
}
