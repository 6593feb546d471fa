import { IncomingMessage, ServerResponse } from 'node:http'
import type { MessageClasses } from '@dexfeed/service'
import type { Express, Request, Response } from 'express'

/**
 * Returns message classes with the prototypes of Express. It would otherwise replace the prototype of each message, and
 * Node is slow with such objects: a short response takes 158 µs of CPU time instead of 47, which clients that poll
 * quotes would notice.
 */
export function messageClasses(app: Express): MessageClasses {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse<AppRequest> {}
  Object.setPrototypeOf(AppRequest.prototype, app.request)
  Object.setPrototypeOf(AppResponse.prototype, app.response)
  app.request = AppRequest.prototype as unknown as Request
  app.response = AppResponse.prototype as unknown as Response
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse as unknown as typeof ServerResponse }
}
