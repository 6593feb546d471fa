import { Client } from 'pg'

/** What BullMQ keeps of Postgres: connections for questions, and what it makes the one from that listens. */
export interface QueueConnections {
  pool: {
    on(event: 'connect', listener: (client: { on(event: 'error', heard: () => void): unknown }) => void): unknown
  }
  pgModule: object
}

/**
 * Lets the process outlive these connections: one that dies between two statements tells so by an event, and an error
 * event that nobody hears ends the process. BullMQ hears none of a connection that is just made, that it migrates with,
 * or that it is closing.
 */
export function outliveConnections(connections: QueueConnections): void {
  connections.pool.on('connect', (client) => client.on('error', ignore))
  connections.pgModule = { ...connections.pgModule, Client: HeardClient }
}

/** A connection whose errors are always heard. */
class HeardClient extends Client {
  constructor(...args: ConstructorParameters<typeof Client>) {
    super(...args)
    this.on('error', ignore)
  }

  override removeAllListeners(event?: string | symbol): this {
    if (event === undefined) super.removeAllListeners()
    else super.removeAllListeners(event)
    return this.on('error', ignore)
  }
}

function ignore(): void {}
