import type { Response } from 'express'

export function disconnectSignal(response: Response): AbortSignal {
  const disconnected = new AbortController()
  response.once('close', () => disconnected.abort(new Error('the client is gone')))
  return disconnected.signal
}
