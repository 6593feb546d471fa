import { IncomingMessage, type ServerResponse } from 'node:http'
import { responseUnderWay } from './responses.ts'

export interface MessageClasses {
  IncomingMessage?: typeof IncomingMessage
  ServerResponse?: typeof ServerResponse
}

interface Stoppable extends IncomingMessage {
  isUpgrade?: boolean | null
  isDecided?: boolean
}

/**
 * Returns a class of requests at which Node stops reading a connection as HTTP, as for another protocol, and emits
 * `upgrade`: those with a transfer coding, or sent before the previous response had ended. Otherwise Node would handle
 * all requests, or chunks, of 64 kB in one step: 2,000 requests took 1.2 s, in which nobody else was served.
 */
export function stopParser(Base: typeof IncomingMessage = class extends IncomingMessage {}): typeof IncomingMessage {
  Object.defineProperty(Base.prototype, 'upgrade', {
    configurable: true,
    // Node asks after the headers.
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
