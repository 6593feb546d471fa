import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Request, Response } from 'express'
import { expect, test } from 'vitest'
import { closeWhile, guarded } from './guards.ts'

test.each([
  [false, undefined],
  [true, 'close'],
])('while the process ends (%s), each response closes its connection', (isDraining, header) => {
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  closeWhile(() => isDraining)(request as Request, response as Response)
  expect(response.getHeader('connection')).toBe(header)
})

test('a guard that throws keeps a request from everything after it', () => {
  const reached: string[] = []
  const guards = guarded(
    () => void reached.push('first'),
    () => {
      throw new Error('refused')
    },
    () => void reached.push('third'),
  )
  expect(() => guards({} as Request, {} as Response, () => void reached.push('route'))).toThrow('refused')
  expect(reached).toEqual(['first'])
})
