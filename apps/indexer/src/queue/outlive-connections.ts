/** What BullMQ keeps of Postgres: connections for questions, and what it makes the one from that listens. */
export interface QueueConnections {
  pool: { on(event: 'connect', listener: (client: QueueClient) => void): unknown }
  pgModule: { Client: new (...args: never[]) => QueueClient }
}

interface QueueClient {
  on(event: 'error', listener: () => void): unknown
  removeAllListeners(event?: string): unknown
}

/**
 * Lets the process outlive these connections: one that dies between two statements emits an error event, and an error
 * event without a listener ends the process. BullMQ listens to none of a connection that is just made, that it migrates
 * with, or that it is closing.
 */
export function outliveConnections(connections: QueueConnections): void {
  connections.pool.on('connect', ignoreErrors)
  const { Client } = connections.pgModule
  const construct = (target: typeof Client, args: never[]) => ignoreErrors(new target(...args))
  connections.pgModule = { ...connections.pgModule, Client: new Proxy(Client, { construct }) }
}

function ignoreErrors(client: QueueClient): QueueClient {
  const removeAll = client.removeAllListeners.bind(client)
  client.removeAllListeners = (event) => {
    if (event === undefined) removeAll()
    else removeAll(event)
    return client.on('error', ignore)
  }
  client.on('error', ignore)
  return client
}

function ignore(): void {}
