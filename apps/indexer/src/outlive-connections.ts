/** What BullMQ keeps of Postgres: connections for questions, and one that listens. */
export interface QueueConnections {
  pool: { on(event: 'connect', listener: (client: QueueClient) => void): unknown }
  getListenClient(): Promise<QueueClient>
}

interface QueueClient {
  on(event: 'error', listener: (error: Error) => void): unknown
  removeAllListeners(event?: string): unknown
}

/**
 * Lets the process outlive these connections: one that dies between two statements tells so by an event, and an error
 * event that nobody hears ends the process. BullMQ hears none of a connection that it migrates with or is closing.
 */
export function outliveConnections(connections: QueueConnections): void {
  connections.pool.on('connect', (client) => client.on('error', ignore))
  const listenClient = connections.getListenClient.bind(connections)
  const met = new WeakSet<QueueClient>()
  connections.getListenClient = async () => {
    const client = await listenClient()
    if (met.has(client)) return client
    met.add(client)
    const removeAll = client.removeAllListeners.bind(client)
    client.removeAllListeners = (event) => {
      if (event === undefined) removeAll()
      else removeAll(event)
      client.on('error', ignore)
      return client
    }
    // Its closing may already have begun.
    client.on('error', ignore)
    return client
  }
}

function ignore(): void {}
