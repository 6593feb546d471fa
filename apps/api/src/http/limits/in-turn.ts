import type { RequestHandler } from 'express'
import { clientOf } from './client-of.ts'
import type { Turns } from './turns.ts'

/** Lets requests begin in turns of their clients, once others have blocked the process for some milliseconds. */
export function inTurn(turns: Pick<Turns, 'isFree' | 'run'>): RequestHandler {
  return (request, _response, next) => {
    if (turns.isFree) return next()
    const begin = () => (request.socket.destroyed ? undefined : next())
    turns.run(clientOf(request), begin).catch(next)
  }
}
