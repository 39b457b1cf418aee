import { connect } from 'node:net';

/**
 * Whether somebody takes a connection at the address of a URL, within `timeoutMs`. Nothing is sent. It is only for an
 * address that the operator has set: private addresses are connected to as well, which no guard here refuses.
 */
export function takesConnections(operatorsUrl: string, timeoutMs: number): Promise<boolean> {
  const { hostname, port, protocol } = new URL(operatorsUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  const usual = protocol === 'https:' ? 443 : 80;
  return new Promise((resolve) => {
    const socket = connect({ host, port: port === '' ? usual : Number(port), timeout: timeoutMs });
    const end = (answer: boolean) => () => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false));
  });
}
