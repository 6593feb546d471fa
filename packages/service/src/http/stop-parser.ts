import { IncomingMessage, type ServerResponse } from 'node:http'
import { responseUnderWay } from './responses.ts'

/** Classes of requests and responses to use instead of Node's. */
export interface MessageClasses {
  IncomingMessage?: typeof IncomingMessage
  ServerResponse?: typeof ServerResponse
}

interface Stoppable extends IncomingMessage {
  isUpgrade?: boolean | null
  isDecided?: boolean
}

/**
 * Returns a class of requests at which Node stops reading a connection as HTTP, as at a request for another protocol:
 * the server gets the event `upgrade`, with the bytes that follow. It stops at a request that came before the response
 * to the previous one had ended, and at a request with a transfer coding. Node would otherwise handle all requests, or
 * all chunks, of 64 kB in one step: 2,000 requests took 1.2 s, in which nobody else was served.
 */
export function stopParser(Base: typeof IncomingMessage = class extends IncomingMessage {}): typeof IncomingMessage {
  Object.defineProperty(Base.prototype, 'upgrade', {
    configurable: true,
    // Node asks after the headers, and keeps to the first answer.
    get(this: Stoppable) {
      if (this.isDecided !== true) {
        this.isDecided = true
        this.isUpgrade ||= responseUnderWay(this.socket) !== null || this.headers['transfer-encoding'] !== undefined
      }
      return this.isUpgrade
    },
    set(this: Stoppable, isUpgrade: boolean | null) {
      this.isUpgrade = isUpgrade
    },
  })
  return Base
}
