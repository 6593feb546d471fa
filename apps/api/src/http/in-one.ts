import type { RequestHandler } from 'express'

/** Middleware that goes through others in turn. Express takes longer to come to each one than most of them work. */
export function inOne(...handlers: readonly RequestHandler[]): RequestHandler {
  return (request, response, next) => {
    let at = 0
    const goOn = (error?: unknown) => {
      const handler = error === undefined ? handlers[at++] : undefined
      if (handler === undefined) next(error)
      else void handler(request, response, goOn)
    }
    goOn()
  }
}
