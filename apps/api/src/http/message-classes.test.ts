import { createServer } from 'node:http'
import { listen } from '@dexfeed/test-setup/listen'
import express from 'express'
import { expect, test } from 'vitest'
import { messageClasses } from './message-classes.ts'

test('a message keeps its first prototype in the app', async () => {
  const app = express()
  const server = createServer(messageClasses(app), app)
  const prototypes: object[] = []
  const note = (...messages: object[]) => void prototypes.push(...messages.map((each) => Object.getPrototypeOf(each)))
  server.prependListener('request', note)
  app.get('/', (request, response) => {
    note(request, response)
    response.end()
  })
  await fetch(`http://127.0.0.1:${await listen(app, server)}/`, { headers: { connection: 'close' } })
  expect(prototypes.slice(2)).toEqual(prototypes.slice(0, 2))
  expect(prototypes).toHaveLength(4)
})
