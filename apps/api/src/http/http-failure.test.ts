import { connect } from 'node:net'
import { listen } from '@dexfeed/test-setup/listen'
import express from 'express'
import { expect, test } from 'vitest'
import { failureHandler } from './http-failure.ts'

/** Returns the log of a route that fails after the client's connection failed with `error`. */
async function loggedOf(error: Error, failure: Error): Promise<unknown[]> {
  const logged: unknown[] = []
  const app = express()
  const handled = new Promise<void>((resolve) => {
    app.use((request, response, next) => {
      Object.assign(request, { log: { error: (fields: unknown) => logged.push(fields) } })
      request.socket.once('error', () => {})
      // The response must not know of the error yet: in practice the code that writes it learns of the error first.
      response.detachSocket(request.socket)
      request.socket.destroy(error)
      next(failure)
      resolve()
    })
  })
  app.use(failureHandler)
  const client = connect(await listen(app), '127.0.0.1')
  client.on('error', () => {})
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await handled
  client.destroy()
  return logged
}

test("logs nothing if the client's connection failed", async () => {
  const reset = new Error('write ECONNRESET')
  expect(await loggedOf(reset, reset)).toEqual([])
})

test('logs any other failure, even after the client has left', async () => {
  const failure = new Error('unexpected')
  expect(await loggedOf(new Error('write ECONNRESET'), failure)).toEqual([{ err: failure }])
})

test('cuts a response that has begun, so that nobody takes the part for the whole', async () => {
  const app = express()
  app.use((request, response, next) => {
    Object.assign(request, { log: { error: () => {} } })
    response.write('a part')
    next(new Error('unexpected'))
  })
  app.use(failureHandler)
  await expect(fetch(`http://127.0.0.1:${await listen(app)}`).then((response) => response.text())).rejects.toThrow()
})
