import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { expect, onTestFinished, test } from 'vitest'
import { messageClasses } from './message-classes.ts'

test('a message keeps its first prototype in the app', async () => {
  const app = express()
  const server = createServer(messageClasses(app), app)
  onTestFinished(() => void server.close())
  const prototypes: object[] = []
  const note = (...messages: object[]) => void prototypes.push(...messages.map((each) => Object.getPrototypeOf(each)))
  server.prependListener('request', note)
  app.get('/', (request, response) => {
    note(request, response)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { headers: { connection: 'close' } })
  expect(prototypes.slice(2)).toEqual(prototypes.slice(0, 2))
  expect(prototypes).toHaveLength(4)
})
