import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Request, Response } from 'express'
import { expect, test } from 'vitest'
import { closeWhile } from './guards.ts'

test.each([
  [false, undefined],
  [true, 'close'],
])('while the process ends (%s), each response closes its connection', (isDraining, header) => {
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  closeWhile(() => isDraining)(request as Request, response as Response)
  expect(response.getHeader('connection')).toBe(header)
})
